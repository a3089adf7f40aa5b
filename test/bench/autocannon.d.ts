/** Types of the part of autocannon that the benchmarks use, since the package contains none. */
declare module "autocannon" {
  namespace autocannon {
    interface Request {
      method?: string;
      headers?: Record<string, string>;
      body?: string;
      setupRequest?: (request: Request) => Request;
    }
    interface Result {
      errors: number;
      non2xx: number;
      "2xx": number;
      duration: number;
      requests: { total: number };
    }
  }
  function autocannon(options: {
    url: string;
    connections: number;
    duration: number;
    headers?: Record<string, string>;
    requests?: autocannon.Request[];
  }): Promise<autocannon.Result>;
  export default autocannon;
}
