/** The most common passwords of the permitted length, in lower case: words, names and keyboard patterns. */
export const commonPasswords = String.raw`
!qaz2wsx !qaz@wsx 00000000 0000000000 0987654321 0okmnji9 10203040 11111111 111111111 1111111111 11223344 1122334455 112233445566 12121212 123123123
123321123 12341234 12344321 123454321 12345678 123456780 123456789 1234567890 12345678910 123456789a 12345678a 12345679 1234567a 1234qwer 123password
147258369 159753456 1password 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz!qaz 1qaz2wsx 1qaz2wsx3edc 1qaz@wsx 1qazxsw2 22222222 321321321 33333333 44444444
456789123 55555555 66666666 741852963 77777777 789456123 87654321 88888888 987654321 9876543210 99999999 a1234567 a12345678 a123456789 a1b2c3d4
a1b2c3d4e5 aa123456 aa12345678 aaa11111 aaaaaaaa aaaaaaaaaa aabbccdd abc123123 abc12345 abc123456 abc1234567 abc123abc abcabcabc abcd1234 abcd12345
abcd123456 abcdef12 abcdef123 abcdefg1 abcdefg123 abcdefgh abcdefghi abcdefghij access123 access14 account1 accounting admin123 admin1234 admin12345
admin123456 admin@123 adminadmin administrador administrator airborne airplane alejandra alejandro alexander alexander1 alexandra alexandre
alhamdulillah allah123 aloha123 amanda12 amazing1 america1 american american1 andrew12 andrew123 android1 angel123 angelica angelina angelito
angels123 anthony1 anthony12 anthony123 antonio1 anything apartment apollo11 apollo13 apple123 applepie aquarius argentina arsenal1 arsenal123
asd123456 asdasdasd asdf1234 asdf123456 asdfasdf asdfgh123 asdfghjk asdfghjkl asdfqwer asdqwe123 ashley12 ashley123 assassin assassins asshole1
assholes august12 australia autumn123 aviation awesome1 awesome123 babyblue babyboy1 babydoll babygirl babygirl1 babygurl babygurl1 babylove badboy123
badgirl1 bailey12 bailey123 banana12 banana123 bananas1 bangladesh bank1234 barcelona barcelona1 baseball baseball1 baseball12 basketball basketball1
batman123 beach123 beachbum beautiful beautiful1 beer1234 believe1 benfica1 benjamin benjamin1 bestfriend bestfriends bigboy12 bigdaddy bigdog12
birthday birthday1 bismillah bitch123 biteme12 blackberry blackcat blackjack blaze420 blessed1 blessing blessings blueberry bluebird bluemoon bluesky1
bmw12345 bobmarley brandon1 brasil123 broncos1 budlight budweiser bulldog1 bulldogs bullshit business business1 buster12 buster123 butterfly
butterfly1 california callofduty camaro69 camelot1 camping1 capricorn captain1 carlos123 caroline catherine champion champion1 champions changeit
changeme changeme1 changeme123 charlie1 charlie123 charmed1 cheer123 cheerleader cheese12 cheese123 cheesecake chelsea1 chelsea123 chevrolet chevy123
chewbacca chicago1 chocolat chocolate chocolate1 christian christian1 christina christine christmas christmas1 christopher cinderella cisco123
climbing college1 colombia columbia commander company1 company123 computer computer1 computer123 contrasena contraseña cookie12 cookie123 cool1234
coolcool cooldude coolguy1 corvette counterstrike cowboys1 creative creative1 crystal1 cutie123 cutiepie cutiepie1 dance123 dancing1 daniel12
daniel123 danielle danielle1 darkangel darkknight darkness darkstar darthvader database december december1 default1 default123 demo1234 deutschland
diamond1 diamonds dinosaur discovery disney123 disneyland doctor123 doggy123 dollars1 dolphin1 dolphins dontknow dragon12 dragon123 dragonball
dragonfly drinking drummer1 eagles12 earnhardt education einstein elephant elizabeth elizabeth1 eminem123 enterprise espana123 excalibur explorer
explorer1 facebook facebook1 faithful fantastic february february1 fernandez fernando ferrari1 finance1 fishing1 fishing123 florida1 flower12
flower123 flowers1 football football1 football12 football123 forever1 forever21 forgetit forgetme fortnite fortnite1 fortnite123 francais francisco
freedom1 freedom123 freehold friends1 friends4 friendship fuckoff1 fuckthis fuckyou1 fuckyou123 fuckyou2 gabriel1 gabriela gabrielle galaxy123
gandalf1 gangsta1 gangster ganja420 garfield garfield1 gemini12 genius123 germany1 ginger12 ginger123 gmail123 godbless godbless1 godisgood godislove
godzilla golden12 goldfish gonzalez goodbye1 goodluck goodluck1 google123 gorgeous green123 greenday greenday1 guest123 guestguest guillermo guitar12
guitar123 halloween halo1234 handsome harley12 harleydavidson haslo123 hawaii50 hawaii808 heavenly heineken hello123 hello1234 hello12345 hellohello
hellokitty hellokitty1 helloworld hernandez heslo123 highschool hihihihi hiphop123 history1 hockey12 hockey123 holiday1 homework honda123 hotmail1
hotmama1 hotstuff hotwheels hunter12 hunter123 hunting1 iamlegend iamthebest idontknow ihateyou illusion ilovegod iloveher ilovehim iloveme1 iloveyou
iloveyou! iloveyou1 iloveyou12 iloveyou123 iloveyou2 iluvyou1 imagination imagine1 imcool123 imthebest inchrist independence india123 india1234
indonesia ineedyou infinity infinity1 instagram internet internet1 iphone123 ironmaiden ironman1 isabella isabella1 islander jackdaniels jamaica1
january1 jasmine1 jasmine123 jennifer jennifer1 jessica1 jessica123 jesus123 jesuschrist jesusislord jesuslives jesuslovesme jonathan jonathan1
jordan12 jordan123 jordan23 joseph12 joshua12 joshua123 jupiter1 justdoit juventus juventus1 katherine kawasaki killer12 killer123 kimberly kimberly1
kittens1 kitty123 kittycat kittykat knight123 lacrosse lakers123 lakers24 lamborghini landlord landlord1 lauren12 lawyer123 leasehold ledzeppelin
legend123 leo12345 leopard1 letmein! letmein1 letmein12 letmein123 letmeinn letsgo123 libra123 library1 linkedin linkedin1 lion1234 lionking liverpool
liverpool1 liverpoolfc lkjhgfdsa login123 london123 longboard loveforever lovelove lovelove1 loveyou1 loveyou2 lozinka1 lucky123 luckyone maggie12
maggie123 magic123 magicman mahal123 mahalkita malaysia manager1 manager123 manchester manunited manutd123 margarita maria123 marijuana marines1
mariposa martinez master12 master123 masterkey matthew1 matthew123 maverick maverick1 medicine melissa1 mercedes mercedes1 mercury1 merlin12 metallica
metallica1 mexico12 mexico123 michael1 michael123 michaeljackson michelle michelle1 mickey123 mickeymouse microsoft midnight midnight1 military
million1 millionaire minecraft minecraft1 minecraft123 minnie123 mnbvcxz1 monday123 money123 money1234 moneymoney monkey12 monkey123 monkeys1
moonlight mot2passe motdepasse motorola mountain mountains music123 musician musiclover mustang1 mustang67 mustang69 mypass12 mypass123 mypassword
mypassword1 myspace1 myspace123 mysql123 mystery1 naruto123 nascar24 navyseal neptune1 neverever nevermind newpassword newyork1 newyorkcity nicegirl
nicholas nicholas1 nicole12 nicole123 nintendo nirvana1 nopassword nothing1 november november1 nurse123 october1 office123 offroad1 oldpassword
oracle123 orange12 orange123 p@55w0rd p@ssw0rd p@ssw0rd1 p@ssw0rd123 p@ssword p@ssword1 pa$$w0rd pa$$word pa55w0rd pa55word packers1 pakistan
pakistan1 pakistan123 panasonic panther1 panthers paradise paradise1 paris123 parola123 party123 partytime pass1234 pass12345 pass123456 pass@123
pass@word1 passpass passport passw0rd passw0rd1 password password! password. password00 password01 password1 password1! password11 password12
password123 password1234 password12345 password2 password2020 password2021 password2022 password2023 password2024 password2025 password2026 password21
password22 password3 password69 password7 password88 password9 password99 passwords passwort passwort1 patricia patrick1 patriots peanut12 peanut123
pepper12 pepper123 perfect1 phantom1 philippines phoenix1 pikachu1 pikachu123 pink1234 pinkfloyd pinkpink pisces12 pitbull1 playboy1 playboy69
player12 player123 playstation poiuytrewq pokemon1 pokemon123 porsche1 porsche911 portugal postgres postgres1 precious precious1 pretty123 princesa
princesa1 princess princess1 princess12 princess123 private1 property property1 property123 public123 puppies1 puppy123 puppydog purple12 purple123
q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 qwaszx12 qwe123456 qwe123qwe qweasd123 qweasdzxc qweqweqwe qwer1234 qwerty00 qwerty12 qwerty123 qwerty1234
qwerty12345 qwerty123456 qwerty321 qwertyqwerty qwertyu1 qwertyui qwertyuiop racecar1 racing123 raiders1 rainbow1 rainbow7 ranger12 rastafari
realestate realmadrid rebecca1 redsox12 remember rememberme rental123 richard1 robert12 roblox123 rockandroll rocknroll rockstar rockstar1 rodriguez
root1234 rootroot rottweiler sagittarius sailboat samantha samantha1 samsung1 samsung123 sasuke123 saturday school12 school123 science1 scoobydoo
scorpio1 scorpion sebastian secret12 secret123 secretpassword security security1 senha123 september september1 sergeant server123 sexy1234 sexybitch
sexygirl sexylady sexysexy shadow12 shadow123 shalom123 shanghai shuttle1 silver12 silver123 singapore skateboard skydiver skywalker slipknot
slipknot1 slipknot666 smoke420 smokey12 snoopy123 snowball snowboard snowman1 snowwhite soccer10 soccer11 soccer12 soccer123 softball softball1
soldier1 something spiderman spiderman1 spongebob spongebob1 spring123 starcraft stargate starlight startrek starwars starwars1 steelers steelers1
stephanie stephanie1 strawberry student1 student123 students summer01 summer12 summer123 summertime sunday123 sunflower sunflower1 sunshine sunshine1
sunshine123 superman superman1 superman123 support1 support123 surfer12 surfing1 suzuki123 sweet123 sweetheart sweetie1 sweetpea sweets123 swimming
swimming1 system32 taurus12 teacher1 teacher123 teamo123 teamoamor teamomucho temp1234 temporary temppass tenant123 tequiero tequila1 test1234
test12345 test123456 test@123 tester12 testing1 testing123 testtest thankgod thepassword thomas12 thomas123 tiger123 tigers12 tigger12 tigger123
tinkerbell tinkerbell1 together tomcat14 toor1234 topsecret toyota123 tropical truelove trustno1 trustnoone tupac123 twitter1 universal universe
university user1234 username username1 usmarine vacation valentin valentina vanessa1 veronica victoria victoria1 virgo123 vodka123 volleyball voyager1
wachtwoord wachtwoord1 warcraft warrior1 warriors weed4200 weekend1 welcome1 welcome1! welcome12 welcome123 welcome2 welcome@1 whatever whatever1
whatsapp whatthefuck whiskey1 william1 windows1 windows10 windows7 winter12 winter123 wizard12 wonderful worldofwarcraft xbox360x yahoo123 yamaha123
yankees1 yellow12 yellow123 yodayoda yourpassword youtube123 zaq12wsx zaq1xsw2 zaq1zaq1 zxc123456 zxcasdqwe zxcvbnm, zxcvbnm1 zxcvbnm12 zxcvbnm123
zxcvbnmm zxczxczxc
`;
