package org.nyala.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.process.Processes;
import org.nyala.process.ServedDirectory;

/** Debian's LDAP clients against a real server. */
class DebianClientsTest {
  @TempDir static Path folder;

  private static ServedDirectory served;

  @BeforeAll
  static void serve() throws Exception {
    served = ServedDirectory.start(folder, "clients.ldif");
  }

  @AfterAll
  static void stop() {
    served.close();
  }

  private static Processes.Result client(String program, String... more) throws Exception {
    List<String> command = new ArrayList<>(List.of(program, "-x", "-H", served.url()));
    command.addAll(List.of(more));
    return Processes.ldapClient(folder, command.toArray(String[]::new));
  }

  private static Processes.Result search(String... more) throws Exception {
    List<String> options = new ArrayList<>(List.of("-LLL", "-o", "ldif-wrap=no"));
    options.addAll(List.of(more));
    return client("ldapsearch", options.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({
    "base,ou=People;dc=example;dc=com,1",
    "one,ou=People;dc=example;dc=com,3",
    "sub,ou=People;dc=example;dc=com,4",
    "children,ou=People;dc=example;dc=com,3",
    "one,dc=example;dc=com,2",
    "sub,dc=example;dc=com,9",
    "children,dc=example;dc=com,8",
    "base,DC=Example ; dc=COM,1"
  })
  void shouldSearchInEveryScope(String scope, String base, int entries) throws Exception {
    String name = base.replace(';', ',');
    Processes.Result result = search("-b", name, "-s", scope, "1.1").shouldSucceed();
    assertThat(result.out().lines().filter(line -> line.startsWith("dn:"))).hasSize(entries);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      value = {
        "(uid=ada) => 1",
        "(UID=ADA) => 1",
        "(cn=augusta  ada king) => 1",
        "(cn=*ada*) => 1",
        "(cn=*e*) => 6",
        "(cn=Ada*lace) => 1",
        "(mail=*@example.com) => 2",
        "(!(objectClass=person)) => 6",
        "(&(objectClass=person)(uid=b*)) => 1",
        "(|(uid=ada)(uid=bob)(uid=nobody)) => 2",
        "(&) => 9",
        "(|) => 0",
        "(uidNumber>=1001) => 1",
        "(uidNumber>=1002) => 0",
        "(uidNumber<=1001) => 1",
        "(cn~=bob stone) => 1",
        "(cn:caseExactMatch:=Bob Stone) => 1",
        "(cn:caseExactMatch:=bob stone) => 0",
        "(ou:dn:=people) => 4",
        "(uid=zo\\c3\\ab) => 1",
        "(uid=ZO\\c3\\8b) => 1",
        "(description=\\28a\\29 \\2a b \\5c c) => 1",
        "(manager=UID=Ada, OU=people,dc=example,dc=com) => 1",
        "(member=uid=bob,ou=People,dc=example,dc=com) => 1",
        "(description;lang-en=*first*) => 1",
        "(name=ada lovelace) => 1",
        "(nothingLikeThis=1) => 0",
        "(!(nothingLikeThis=1)) => 0",
        "(userPassword=*) => 0",
        "(hasSubordinates=TRUE) => 3",
        "(entryDN=uid=ada,ou=people,dc=example,dc=com) => 1",
        "(objectClass=*) => 9"
      })
  void shouldUnderstandEveryKindOfFilter(String filter, int entries) throws Exception {
    Processes.Result result = search("-b", "dc=example,dc=com", filter, "1.1").shouldSucceed();
    assertThat(result.out().lines().filter(line -> line.startsWith("dn:")))
        .as(result.out())
        .hasSize(entries);
  }

  @Test
  void shouldReturnExactlyTheAttributesAskedFor() throws Exception {
    String ada = "uid=ada,ou=People,dc=example,dc=com";
    assertThat(search("-b", ada, "-s", "base", "mail", "SN", "givenname").out())
        .isEqualTo("dn: " + ada + "\nsn: Lovelace\ngivenName: Ada\nmail: ada@example.com\n\n");
    assertThat(search("-b", ada, "-s", "base", "-A", "mail").out())
        .isEqualTo("dn: " + ada + "\nmail:\n\n");
    assertThat(search("-b", ada, "-s", "base", "description").out())
        .contains("description;lang-en: wrote the first program");
    assertThat(search("-b", ada, "-s", "base").out())
        .contains("jpegPhoto:: /9j/4AAQSkZJRgD/2Q==", "cn: Augusta Ada King")
        .doesNotContain("userPassword", "entryUUID");
    assertThat(search("-b", ada, "-s", "base", "+").out())
        .contains("entryUUID: ", "createTimestamp: ", "entryDN: " + ada, "subschemaSubentry: ")
        .doesNotContain("userPassword", "mail:");
    assertThat(search("-b", ada, "-s", "base", "*", "+").out()).contains("entryUUID:", "mail:");
    assertThat(search("-b", ada, "-s", "base", "@person").out())
        .contains("sn: Lovelace")
        .doesNotContain("mail:", "userPassword");
  }

  @Test
  void shouldEscapeAndEncodeNames() throws Exception {
    assertThat(search("-M", "-b", "dc=example,dc=com", "(cn=comma, and more)", "1.1").out())
        .isEqualTo("dn: cn=Comma\\, and more,ou=Places,dc=example,dc=com\n\n");
    assertThat(search("-M", "-b", "dc=example,dc=com", "(sn=m\\c3\\bcller)", "1.1").out())
        .isEqualTo("dn:: dWlkPXpvw6ssb3U9UGVvcGxlLGRjPWV4YW1wbGUsZGM9Y29t\n\n");
  }

  @Test
  void shouldStopAtTheSizeLimitOnlyWhenThereIsMore() throws Exception {
    String[] exact = {"-b", "ou=People,dc=example,dc=com", "-s", "one", "-z", "3", "1.1"};
    assertThat(search(exact).exitCode()).isZero();
    String[] less = {"-b", "ou=People,dc=example,dc=com", "-s", "one", "-z", "2", "1.1"};
    Processes.Result limited = search(less);
    assertThat(limited.exitCode()).isEqualTo(4);
    assertThat(limited.out().lines().filter(line -> line.startsWith("dn:"))).hasSize(2);
  }

  @Test
  void shouldReferElsewhere() throws Exception {
    Processes.Result places = search("-b", "ou=Places,dc=example,dc=com", "1.1");
    assertThat(places.out())
        .contains("# refldap://ldap.example.net/ou=Elsewhere,dc=example,dc=net");
    Processes.Result below = search("-b", "cn=x,cn=elsewhere,ou=Places,dc=example,dc=com");
    assertThat(below.exitCode()).isEqualTo(10);
    assertThat(below.out() + below.err())
        .contains("ldap://ldap.example.net/cn=x,ou=Elsewhere,dc=example,dc=net");
    Processes.Result itself =
        search("-M", "-b", "cn=elsewhere,ou=Places,dc=example,dc=com", "-s", "base", "ref");
    assertThat(itself.shouldSucceed().out()).contains("ref: ldap://ldap.example.net/");
  }

  @Test
  void shouldFollowAliasesWhenAskedTo() throws Exception {
    String alias = "cn=first programmer,ou=Places,dc=example,dc=com";
    String ada = "dn: uid=ada,ou=People,dc=example,dc=com";
    assertThat(search("-b", alias, "-s", "base", "1.1").out()).isEqualTo("dn: " + alias + "\n\n");
    assertThat(search("-a", "find", "-b", alias, "-s", "base", "1.1").out()).contains(ada);
    assertThat(
            search("-a", "always", "-b", "ou=Places,dc=example,dc=com", "(uid=ada)", "1.1").out())
        .contains(ada);
    assertThat(search("-b", "ou=Places,dc=example,dc=com", "(uid=ada)", "1.1").out())
        .doesNotContain(ada);
  }

  @Test
  void shouldTellHowFarANameExists() throws Exception {
    Processes.Result missing = search("-b", "cn=x,ou=Nowhere,ou=People,dc=example,dc=com");
    assertThat(missing.exitCode()).isEqualTo(32);
    assertThat(missing.out() + missing.err()).contains("ou=People,dc=example,dc=com");
    assertThat(search("-b", "dc=elsewhere").exitCode()).isEqualTo(32);
    assertThat(search("-b", "not a name").exitCode()).isEqualTo(34);
  }

  @ParameterizedTest
  @CsvSource({
    "cn=admin;dc=example;dc=com,admin,0",
    "cn=admin;dc=example;dc=com,wrong,49",
    "uid=ada;ou=People;dc=example;dc=com,enchantress,0",
    "uid=ada;ou=People;dc=example;dc=com,Enchantress,49",
    "uid=bob;ou=People;dc=example;dc=com,clear text,0",
    "uid=nobody;ou=People;dc=example;dc=com,x,49",
    "ou=People;dc=example;dc=com,x,49",
    "not a name,x,34"
  })
  void shouldBind(String name, String password, int exitCode) throws Exception {
    Processes.Result result = client("ldapwhoami", "-D", name.replace(';', ','), "-w", password);
    assertThat(result.exitCode()).as(result.err()).isEqualTo(exitCode);
    if (exitCode == 0) {
      assertThat(result.out()).isEqualTo("dn:" + name.replace(';', ',') + "\n");
    }
  }

  @Test
  void shouldKnowNobodyByDefault() throws Exception {
    assertThat(client("ldapwhoami").shouldSucceed().out()).isEqualTo("anonymous\n");
  }

  @ParameterizedTest
  @CsvSource({
    "mail:ADA@example.com,6",
    "mail:bob@example.com,5",
    "objectClass:person,6",
    "telephoneNumber:+442079460001,6",
    "userPassword:enchantress,50",
    "nothingLikeThis:x,17",
    "title:x,16"
  })
  void shouldCompare(String assertion, int exitCode) throws Exception {
    Processes.Result result =
        client("ldapcompare", "uid=ada,ou=People,dc=example,dc=com", assertion);
    assertThat(result.exitCode()).as(result.out() + result.err()).isEqualTo(exitCode);
  }

  @Test
  void shouldRefuseWhatItDoesNotKnow() throws Exception {
    assertThat(client("ldapexop", "1.2.3.4").exitCode()).isNotZero();
    Processes.Result critical = search("-e", "!1.2.3.4", "-b", "dc=example,dc=com");
    assertThat(critical.exitCode()).isEqualTo(12);
    search("-e", "1.2.3.4", "-b", "dc=example,dc=com").shouldSucceed();
  }

  @Test
  void shouldLetOnlyTheAdministratorDelete() throws Exception {
    String bob = "uid=bob,ou=People,dc=example,dc=com";
    assertThat(client("ldapdelete", bob).exitCode()).isEqualTo(8);
    String ada = "uid=ada,ou=People,dc=example,dc=com";
    String[] deletion = {"-D", ada, "-w", "enchantress", bob};
    assertThat(client("ldapdelete", deletion).exitCode()).isEqualTo(50);
    search("-b", bob, "-s", "base", "1.1").shouldSucceed();
  }

  @Test
  void shouldDescribeItself() throws Exception {
    assertThat(search("-b", "", "-s", "base", "+").shouldSucceed().out())
        .contains(
            "namingContexts: dc=example,dc=com",
            "supportedLDAPVersion: 3",
            "supportedControl: 2.16.840.1.113730.3.4.2",
            "supportedExtension: 1.3.6.1.4.1.4203.1.11.3",
            "subschemaSubentry: cn=Subschema");
    assertThat(search("-b", "cn=Subschema", "-s", "base", "+").shouldSucceed().out())
        .contains("NAME 'inetOrgPerson'", "NAME 'caseIgnoreMatch'");
  }
}
