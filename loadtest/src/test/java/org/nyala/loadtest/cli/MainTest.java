package org.nyala.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.util.json.JSONObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.loadtest.compare.NyalaSetup;
import org.nyala.loadtest.engine.LoadTester;
import org.nyala.loadtest.result.ProcessCpu;
import org.nyala.loadtest.workload.ExitCode;

class MainTest {
  private final LoadTester tester = new LoadTester();

  @Test
  void shouldReportForPeopleAndPrograms(@TempDir Path directory) throws Exception {
    InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=example,dc=com");
    config.setSchema(null);
    InMemoryDirectoryServer server = new InMemoryDirectoryServer(config);
    server.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
    server.add("dn: uid=user.0,dc=example,dc=com", "objectClass: account", "uid: user.0");
    server.startListening();
    Path json = directory.resolve("report.json");
    int exit;
    try {
      exit =
          tester.run(
              "search",
              "--url=ldap://localhost:" + server.getListenPort(),
              "--people=dc=example,dc=com",
              "--users=1",
              "--connections=2",
              "--seconds=100",
              "--operations=5",
              "--warmup-seconds=0",
              "--json=" + json);
    } finally {
      server.shutDown(true);
    }

    assertThat(tester.err()).isEmpty();
    assertThat(exit).isZero();
    assertThat(tester.out())
        .contains("search: 2 connections", "failed operations: 0, lost connections: 0");
    JSONObject report = new JSONObject(Files.readString(json));
    assertThat(report.getFieldAsString("job")).isEqualTo("search");
    assertThat(report.getFieldAsInteger("operations")).isEqualTo(10);
    assertThat(report.getFieldAsInteger("errorCount")).isZero();
  }

  @Test
  void shouldRejectWrongUsageWithItsOwnExitCode() {
    assertThat(tester.run("search", "--users=1", "--url=http://x")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("--url must be ldap://host:port");
    assertThat(tester.run("search", "--users=0", "--url=ldap://localhost"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("--users must be the number of people, 1 or above, not 0");
    assertThat(tester.run("swim")).isEqualTo(ExitCode.USAGE);
  }

  /** The options of a job are a hundred lines, above which nobody finds the message. */
  @Test
  void shouldNotPrintTheWholeHelpForAWrongOption() {
    assertThat(tester.run("search", "--swim")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err().lines())
        .hasSize(2)
        .first()
        .asString()
        .startsWith("nyala-loadtest: ")
        .contains("--swim");
    assertThat(tester.err()).contains("nyala-loadtest search --help");
  }

  @Test
  void shouldListItsJobsToWhoNamesNone() {
    assertThat(tester.run()).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("add-delete", "bench", "Searches people by uid");
  }

  @Test
  void shouldExplainMistakesInSentences(@TempDir Path directory) {
    Path missing = directory.resolve("users.txt");
    assertThat(tester.run("search", "--url=ldap://localhost:1", "--names=" + missing))
        .isEqualTo(ExitCode.FAILED);
    assertThat(tester.err()).contains("nyala-loadtest: there is no file " + missing + "\n");
    assertThat(tester.run("search", "--users=1", "--url=127.0.0.1:26200"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("--url must be ldap://host:port, not 127.0.0.1:26200");
    assertThat(tester.run("serch")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("nyala-loadtest: there is no job 'serch'; did you mean ");
    assertThat(tester.run("search", "again")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("nyala-loadtest: 'again' is one argument too many\n");
    assertThat(tester.run("search", "--url=ldap://localhost:1", "--users=1", "--log=" + missing))
        .isNotZero();
    assertThat(tester.err()).doesNotContain("Exception");
  }

  @Test
  void shouldSayWhatWasAnsweredWrongly() throws Exception {
    InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=example,dc=com");
    config.setSchema(null);
    InMemoryDirectoryServer server = new InMemoryDirectoryServer(config);
    server.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
    server.startListening();
    String url = "--url=ldap://localhost:" + server.getListenPort();
    String few = "--operations=3";
    try {
      tester.run("search", url, "--users=1", few, "--base=dc=example,dc=com", "--warmup-seconds=0");
      assertThat(tester.out())
          .startsWith("search: 0 operations/s")
          .contains("; failed: 48 x wrong answer;")
          .contains("a wrong answer: the search for uid=user.0 was answered by 0 entries")
          .contains("client CPU: no operation succeeded")
          .doesNotContain("NaN");
      String one = "--connections=1";
      Map<String, String> examples =
          Map.of(
              "authenticate", "the search for uid=user.0 was answered by 0 entries",
              "scan",
                  "the search of the whole subtree was answered by 1 entries; expected at least",
              "paged",
                  "the search of the whole subtree was answered by 1 entries; expected at least",
              "vlv", "the window of 7 entries from 1 on was answered by 0 entries");
      for (Map.Entry<String, String> example : examples.entrySet()) {
        LoadTester job = new LoadTester();
        job.run(example.getKey(), url, "--users=7", one, "--operations=3", "--warmup-seconds=0");
        assertThat(job.out().replaceAll("uid=user.[0-6]", "uid=user.0"))
            .as(job.err())
            .contains("a wrong answer: " + example.getValue());
      }
      tester.run("search", url, "--users=1", few, "--base=dc=nowhere", "--warmup-seconds=0");
      assertThat(tester.out()).contains(" x noSuchObject (32)").doesNotContain("resultCode32");
    } finally {
      server.shutDown(true);
    }
  }

  private static InMemoryDirectoryServer serverOfThree() throws Exception {
    InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=example,dc=com");
    config.setSchema(null);
    InMemoryDirectoryServer server = new InMemoryDirectoryServer(config);
    server.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
    for (int user = 0; user < 3; user++) {
      server.add(
          "dn: uid=user." + user + ",dc=example,dc=com",
          "objectClass: account",
          "uid: user." + user,
          "userPassword: another");
    }
    server.startListening();
    return server;
  }

  /** A load whose operations all fail measures nothing, and may lock people out. */
  @Test
  void shouldStopAtATrialThatFailsAlways() throws Exception {
    InMemoryDirectoryServer server = serverOfThree();
    String url = "--url=ldap://localhost:" + server.getListenPort();
    String[] bind = {"bind", url, "--users=3", "--people=dc=example,dc=com", "--seconds=9"};
    try {
      assertThat(tester.runWithTrial(bind)).isEqualTo(ExitCode.FAILED);
      assertThat(tester.err())
          .contains("3 trial operations of the kind bind failed (3 x invalidCredentials (49));")
          .contains("is the password of uid=user.N password.N?; --no-trial begins all the same");
      assertThat(tester.runWithTrial("base", url, "--users=3", "--people=dc=nowhere"))
          .isEqualTo(ExitCode.FAILED);
      assertThat(tester.err()).contains("of the kind base failed (3 x noSuchObject (32))");
      assertThat(
              tester.runWithTrial(
                  "search", url, "--users=1", "--base=uid=user.1,dc=example,dc=com"))
          .isEqualTo(ExitCode.FAILED);
      assertThat(tester.err())
          .contains(
              "a trial operation of the kind search failed (1 x wrong answer): the search for");
      assertThat(tester.out()).as("no load").isEmpty();
      assertThat(
              tester.runWithTrial(
                  "search",
                  url,
                  "--users=3",
                  "--people=dc=example,dc=com",
                  "--operations=2",
                  "--warmup-seconds=0"))
          .isZero();
      assertThat(tester.err()).containsPattern("trial: search right in [0-9.]+ ms");
      assertThat(tester.out()).startsWith("search: ").contains("; nothing failed; ");
    } finally {
      server.shutDown(true);
    }
  }

  @Test
  void shouldStopAfterAFewWrongPasswords() throws Exception {
    InMemoryDirectoryServer server = serverOfThree();
    String url = "--url=ldap://localhost:" + server.getListenPort();
    String people = "--people=dc=example,dc=com";
    String none = "--warmup-seconds=0";
    try {
      for (String job : List.of("bind", "authenticate", "connect")) {
        assertThat(tester.run(job, url, people, "--users=3", "--connections=2", none))
            .isEqualTo(ExitCode.FAILED);
        assertThat(tester.err()).contains("stopped after 3 wrong passwords");
      }
      assertThat(tester.out()).isEmpty();
      String unbound = "--wrong-passwords=0";
      String noFirst = "--first-logins=0";
      tester.run("bind", url, people, "--users=3", unbound, "--operations=9", none, noFirst);
      assertThat(tester.out()).contains("; failed: 144 x invalidCredentials (49)");
    } finally {
      server.shutDown(true);
    }
  }

  @Test
  void shouldFailByConditions(@TempDir Path folder) throws Exception {
    InMemoryDirectoryServer server = serverOfThree();
    Path junit = folder.resolve("junit.xml");
    String url = "--url=ldap://localhost:" + server.getListenPort();
    String[] words = {
      "search",
      url,
      "--users=3",
      "--operations=5",
      "--warmup-seconds=0",
      "--people=dc=example,dc=com",
      "--junit=" + junit,
      "",
      ""
    };
    try {
      words[7] = "--fail-if=max>10s";
      words[8] = "--fail-if=errors>0";
      assertThat(tester.run(words)).isZero();
      assertThat(Files.readString(junit))
          .contains("tests=\"3\" failures=\"0\"", "name=\"not max&gt;10s\"");
      words[7] = "--fail-if=p99>0us";
      words[8] = "--fail-if=rate<100000000";
      assertThat(tester.run(words)).isEqualTo(ExitCode.FAILED);
      assertThat(tester.out())
          .containsPattern("search: p99 is [0-9.]+ .s, and the test fails if p99>0us\\.\n")
          .containsPattern("search: rate is [0-9,]+/s, and the test fails if rate<100000000\\.\n");
      assertThat(Files.readString(junit))
          .contains("failures=\"2\"", "<failure message=\"search: p99");
      words[7] = "--base=dc=nowhere";
      assertThat(tester.run(words)).isEqualTo(ExitCode.FAILED);
      words[8] = "--fail-if=p50<1s";
      assertThat(tester.run(words)).isEqualTo(ExitCode.FAILED);
      assertThat(tester.out())
          .contains("search: p50 is not known, since no operation ended rightly, and the test")
          .doesNotContain("NaN");
    } finally {
      server.shutDown(true);
    }
  }

  /** Options, what they may be, and what was found. */
  @Test
  void shouldExplainValuesOutOfRange() {
    Map<String, String> sentences =
        Map.ofEntries(
            Map.entry(
                "bind --names=/etc/hostname",
                "--person-password must be the passwords of people who are not uid=user.N, unless"
                    + " --names has a column of them, not absent"),
            Map.entry("search --users=1 --depth=0", "--depth must be from 1 to 1024, not 0"),
            Map.entry("scan --users=1 --depth=2", "--depth above 1 does not go with the job scan"),
            Map.entry("idle --rate=5", "--rate does not go with the job idle"),
            Map.entry(
                "search --users=1 --fail-if=p98>5ms",
                "--fail-if must be a figure, a bound and its unit: p50, p75, p90, p95, p99, p99.9,"
                    + " p99.99, mean or max with us, ms or s; rate; errors; failed with %. Such as"
                    + " p99>5ms or rate<1000, not p98>5ms"),
            Map.entry(
                "search --users=1 --fail-if=p99>5ms --find-knee",
                "--fail-if, --junit and --server-metrics are for one test, not for --compare,"
                    + " --find-knee and --at-once"),
            Map.entry(
                "scan --users=1 --at-once=1 --metrics-port=0",
                "--metrics-port does not go with --at-once"),
            Map.entry(
                "rename --users=3",
                "--users must be at least the number of clients (16), as each renames users of its"
                    + " own, not 3"),
            Map.entry(
                "search --users=1 --values=x",
                "--users does not go with --values or --names, which say how many there are"),
            Map.entry(
                "search --values=x",
                "--values must be a pattern such as uid=user.[0-99999], not x"),
            Map.entry(
                "mixed --users=9 --mix=search",
                "--mix must be a list such as search=50,modify=25, not search"),
            Map.entry(
                "search --users=1 --knee-limit=0 --find-knee",
                "--knee-limit must be above 0 and at most 1000000, not 0"),
            Map.entry(
                "search --users=1 --at-once=1", "the job of --at-once must be scan, not search"));
    sentences.forEach(
        (line, sentence) -> {
          LoadTester one = new LoadTester();
          String[] words = (line + " --url=ldap://localhost:1").split(" ", -1);
          assertThat(one.run(words)).as(line).isEqualTo(ExitCode.USAGE);
          assertThat(one.err()).startsWith("nyala-loadtest: " + sentence + "\n");
        });
  }

  @Test
  void shouldFailWhenNobodyListens() {
    assertThat(tester.run("bind", "--users=1", "--url=ldap://localhost:1"))
        .isEqualTo(ExitCode.FAILED);
    assertThat(tester.err()).contains("could not be opened");
  }

  @Test
  void shouldReadCpuTimeBehindAnyProcessName() {
    String stat = "7 (a) b) c) S 1 1 1 0 -1 4194560 1 2 3 4 250 50 6 7 20 0 1 0 100 1 1";
    assertThat(ProcessCpu.parse(stat)).isEqualTo(3_000_000_000L);
    assertThat(new ProcessCpu(0).nanos()).isEqualTo(-1);
    assertThat(new ProcessCpu(ProcessHandle.current().pid()).nanos()).isPositive();
  }

  @Test
  void shouldAddUpTheGenerationsOfAHeap() {
    assertThat(
            NyalaSetup.heapUsed(
                """
                 PSYoungGen      total 76288K, used 1311K [0x1, 0x2, 0x3)
                  eden space 65536K, 2% used [0x1,0x2,0x3)
                 ParOldGen       total 175104K, used 700K [0x1, 0x2, 0x3)
                  object space 175104K, 0% used [0x1,0x2,0x3)
                 Metaspace       used 5000K, committed 5100K, reserved 1114112K
                """))
        .isEqualTo(2011 * 1024);
    assertThat(NyalaSetup.heapUsed(" garbage-first heap   total 262144K, used 2048K [0x1, 0x2)"))
        .isEqualTo(2048 * 1024);
    assertThat(
            NyalaSetup.heapUsed(
                "garbage-first heap   total reserved 617K, committed 393K, used 9889K [0x1, 0x2)"))
        .isEqualTo(9889 * 1024);
    assertThat(
            NyalaSetup.heapUsed(
                """
                DefNew     total 19648K, used 7340K [0x1, 0x2, 0x3)
                 eden space 17472K,  29% used [0x1, 0x2, 0x3)
                Tenured    total 43712K, used 2379K [0x1, 0x2, 0x3)
                """))
        .isEqualTo((7340 + 2379) * 1024L);
    assertThat(NyalaSetup.heapUsed("nothing")).isEqualTo(-1);
  }

  @Test
  void shouldModifyEachPersonAndShowTheTimes(@TempDir Path directory) throws Exception {
    InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=example,dc=com");
    config.setSchema(null);
    InMemoryDirectoryServer server = new InMemoryDirectoryServer(config);
    server.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
    for (int user = 0; user < 12; user++) {
      server.add("dn: uid=user." + user + ",dc=example,dc=com", "objectClass: account");
    }
    server.startListening();
    Path json = directory.resolve("report.json");
    String url = "--url=ldap://localhost:" + server.getListenPort();
    String people = "--people=dc=example,dc=com";
    int each;
    int mixed;
    try {
      each =
          tester.run(
              "modify-each", url, people, "--users=12", "--attribute=title", "--json=" + json);
      mixed =
          tester.run(
              "mixed",
              url,
              people,
              "--users=12",
              "--connections=2",
              "--modifiers=3",
              "--operations=4",
              "--warmup-seconds=0");
    } finally {
      server.shutDown(true);
    }

    assertThat(tester.err()).isEmpty();
    assertThat(each).isZero();
    JSONObject report = new JSONObject(Files.readString(json));
    assertThat(report.getFieldAsInteger("operations")).isEqualTo(12);
    JSONObject job = (JSONObject) report.getFieldAsArray("jobs").getFirst();
    assertThat(job.getFieldAsArray("histogram")).isNotEmpty();
    assertThat(tester.out())
        .contains("modify-each: 16 connections", "below ", "modify: 3 connections");
    assertThat(mixed).isZero();
    assertThat(tester.out()).contains("search: 2 connections").doesNotContain("wrongAnswer");
  }

  @Test
  void shouldRejectUnknownJobsOfComparisons() {
    assertThat(tester.run("bench", "--jobs=modify,swim", "--no-slapd")).isEqualTo(ExitCode.FAILED);
    assertThat(tester.err()).contains("[swim]");
  }
}
