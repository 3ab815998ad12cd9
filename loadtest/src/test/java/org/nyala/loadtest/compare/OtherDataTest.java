package org.nyala.loadtest.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchScope;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.loadtest.engine.LoadTester;
import org.nyala.loadtest.jmh.BenchmarkServer;
import org.nyala.loadtest.jmh.StrategyChoice;
import org.nyala.loadtest.workload.Account;

/** Jobs about people who are not those of the sample, against Nyala and slapd. */
class OtherDataTest {
  private static final String PARENT = "ou=Staff,dc=example,dc=com";
  private static final int STAFF = 12;

  @TempDir static Path folder;
  private static @Nullable BenchmarkServer nyala;
  private static @Nullable ServerProcess slapd;

  enum Server {
    NYALA,
    SLAPD
  }

  @BeforeAll
  static void start() throws Exception {
    nyala = BenchmarkServer.start(StrategyChoice.create(DispatchStrategies.DEFAULT, 0), 1, 1);
    fill(nyala.address(), false);
    if (SlapdSetup.isInstalled()) {
      SlapdSetup setup = new SlapdSetup(Files.createDirectory(folder.resolve("slapd")));
      setup.load(
          Files.writeString(
              folder.resolve("top.ldif"),
              "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n"));
      slapd = setup.start(2);
      fill(slapd.address(), true);
    }
    StringBuilder commas = new StringBuilder();
    StringBuilder headed = new StringBuilder("mail;userPassword;uid\n");
    StringBuilder wrong = new StringBuilder();
    for (int i = 0; i < STAFF; i++) {
      commas.append("uid=s").append(i).append(',').append(PARENT).append(",pass ").append(i);
      commas.append('\n');
      headed.append(mail(i)).append(";pass ").append(i).append(";s").append(i).append('\n');
      wrong.append("s").append(i).append('\t').append("pass ").append(i + 1).append('\n');
    }
    Files.writeString(folder.resolve("dns"), commas);
    Files.writeString(folder.resolve("headed"), headed);
    Files.writeString(folder.resolve("wrong"), wrong);
    Files.writeString(
        folder.resolve("entry.ldif"),
        """
        dn: uid=new.{op},%s
        objectClass: inetOrgPerson
        uid: new.{op}
        cn: {pick(Ann,Bob)}
          {randstr(5)}
        sn: {uuid}
        mail: a{op}@example.org
        mail: b{op}@example.org
        """
            .formatted(PARENT));
  }

  private static String mail(int i) {
    return "someone" + i * 7 + "@example.org";
  }

  private static void fill(InetSocketAddress address, boolean isEmpty) throws Exception {
    try (LDAPConnection connection = root(address)) {
      connection.add("dn: " + PARENT, "objectClass: organizationalUnit", "ou: Staff");
      for (int i = 0; i < STAFF; i++) {
        connection.add(
            "dn: uid=s" + i + "," + PARENT,
            "objectClass: inetOrgPerson",
            "uid: s" + i,
            "cn: Doe, Jane " + i,
            "sn: Doe",
            "mail: " + mail(i),
            "userPassword: pass " + i);
      }
      assertThat(isEmpty || connection.getEntry("dc=example,dc=com") != null).isTrue();
    }
  }

  private static LDAPConnection root(InetSocketAddress address) throws Exception {
    return new LDAPConnection(
        address.getHostString(), address.getPort(), Account.ROOT.dn(), Account.ROOT.password());
  }

  @AfterAll
  static void stop() throws Exception {
    if (slapd != null) {
      slapd.close();
    }
    Objects.requireNonNull(nyala).stop();
  }

  private static InetSocketAddress address(Server server) {
    assumeTrue(server == Server.NYALA || slapd != null, "slapd is not installed");
    return server == Server.NYALA
        ? Objects.requireNonNull(nyala).address()
        : Objects.requireNonNull(slapd).address();
  }

  private static LoadTester run(Server server, int exit, String... words) {
    LoadTester tester = new LoadTester();
    InetSocketAddress address = address(server);
    List<String> all = new ArrayList<>(List.of(words));
    all.add("--url=ldap://" + address.getHostString() + ":" + address.getPort());
    all.addAll(List.of("--connections=3", "--operations=20", "--warmup-seconds=0"));
    all.addAll(List.of("--people=" + PARENT, "--check-every=1"));
    if (!words[0].equals("bind")) {
      all.addAll(
          List.of("--bind-dn=" + Account.ROOT.dn(), "--password=" + Account.ROOT.password()));
    }
    assertThat(tester.runWithTrial(all.toArray(String[]::new)))
        .as(String.join(" ", words) + "\n" + tester.err() + tester.out())
        .isEqualTo(exit);
    return tester;
  }

  private static String[] words(String line) {
    return line.replace("FOLDER", folder.toString()).replace("PARENT", PARENT).split("\\|", -1);
  }

  @ParameterizedTest
  @EnumSource
  void shouldGetRightAnswersAboutOtherPeople(Server server) {
    for (String line :
        List.of(
            "bind|--names=FOLDER/dns",
            "bind|--names=FOLDER/headed",
            "authenticate|--names=FOLDER/headed|--filter=(mail={mail})",
            "authenticate|--names=FOLDER/dns",
            "connect|--names=FOLDER/headed",
            "connect|-g=rand(0,11)|--person-dn=uid=s%d,PARENT|--person-password=pass {1}",
            "authenticate|--filter=(uid=s[0-11])|--person-password=pass {n}",
            "bind|--person-dn=uid=s[0-11],PARENT|--person-password=pass {n}",
            "bind|--values=s[0-11]|--person-password=pass {n}",
            "search|--filter=(&(uid=s[0:11])(mail=*@example.org))|--attributes=cn,{pick(mail,sn)}",
            "search|-g=inc(0,11)|--filter=(uid=s%d)|--scope={pick(one=1,sub=3)}|--base=PARENT",
            "search|--values=s{rand(0,1)}[0-9]|--filter=(uid=s[1-9])",
            "base|--names=FOLDER/dns",
            "compare|--names=FOLDER/headed",
            "mixed|--mix=search=2,bind=1,authenticate=1|--names=FOLDER/headed",
            "modify|--names=FOLDER/dns|--writes|--change=description:text {op} {n}",
            "modify-each|--names=FOLDER/dns|--writes",
            "rename|--names=FOLDER/dns|--writes",
            "add-delete|--entry=FOLDER/entry.ldif|--users=1|--writes")) {
      LoadTester tester = run(server, 0, words(line));
      assertThat(tester.out()).as(line).contains("; nothing failed; ");
      assertThat(tester.err()).as(line).contains("trial: ");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldChangeWhatItIsToldAndLeaveTheRest(Server server) throws Exception {
    run(server, 0, words("modify|--names=FOLDER/dns|--writes|--change=title:{n}.{op}"));
    run(server, 0, words("add-delete|--entry=FOLDER/entry.ldif|--users=1|--writes"));
    run(server, 0, words("rename|--names=FOLDER/headed|--writes"));
    try (LDAPConnection connection = root(address(server))) {
      var entries =
          connection.search(PARENT, SearchScope.ONE, "(objectClass=*)").getSearchEntries();
      assertThat(entries)
          .hasSize(STAFF)
          .allMatch(entry -> entry.getDN().startsWith("uid=s"))
          .anyMatch(entry -> entry.hasAttribute("title"));
    }
  }

  /** The mistake that locked accounts: people of others with the passwords of the sample. */
  @ParameterizedTest
  @EnumSource
  void shouldNotGuessPasswords(Server server) {
    for (String job : List.of("bind", "authenticate", "connect")) {
      assertThat(run(server, 2, job, "--values=uid=s[0-11]").err())
          .contains(
              "nyala-loadtest: --person-password must be the passwords of people who are not uid=user.N");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldStopBeforeWrongPasswordsLockAccounts(Server server) {
    assertThat(run(server, 1, words("bind|--names=FOLDER/wrong")).err())
        .contains("3 trial operations of the kind bind failed (3 x invalidCredentials (49))");
    LoadTester untried = run(server, 1, words("bind|--names=FOLDER/wrong|--no-trial"));
    assertThat(untried.err()).contains("stopped after 5 wrong passwords");
    assertThat(untried.out()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void shouldAskBeforeItWrites(Server server) {
    for (String line :
        List.of(
            "modify|--users=1",
            "rename|--names=FOLDER/dns",
            "add-delete|--users=1",
            "mixed|--mix=search=1,modify=1|--names=FOLDER/headed")) {
      LoadTester tester = run(server, 1, words(line));
      assertThat(tester.err())
          .contains(" changes entries, and uid=")
          .contains(" is not a person of bin/nyala sample: --writes allows changes of these data");
      assertThat(tester.out()).isEmpty();
    }
  }

  @Test
  void shouldExplainWrongPatterns() {
    for (String[] mistake :
        new String[][] {
          {"search", "--filter=(uid={uid})", "--filter must be a text with {n}, {op}"},
          {"search", "--filter=uid=s[1-2]", "--filter must be a filter such as (uid=a[0-9])"},
          {"search", "--filter=(a=b)|--scope=all", "--scope must be base, one or sub"},
          {
            "bind", "--filter=(uid=s[0-9])|--person-password=x", "--filter does not go with the job"
          },
          {
            "modify-each", "--users=2|--change=a:b", "--change does not go with the job modify-each"
          },
          {"modify", "--users=2|--change=a", "--change must be an attribute and its value"},
          {
            "add-delete",
            "--users=1|--entry=FOLDER/dns",
            "--entry must be a file with lines such as"
          },
          {"scan", "--users=1|--base=ou=[1-2],o=x", "--base with a pattern does not go with"}
        }) {
      LoadTester tester = run(Server.NYALA, 2, words(mistake[0] + "|" + mistake[1]));
      assertThat(tester.err())
          .startsWith("nyala-loadtest: " + mistake[2])
          .doesNotContain("Exception", "NaN", "null");
    }
  }
}
