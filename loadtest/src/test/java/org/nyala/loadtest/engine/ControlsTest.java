package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.sdk.Control;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.loadtest.cli.JobCommand;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.LoadSettings;

class ControlsTest {
  private static final String RELAX = "1.3.6.1.4.1.4203.666.5.12";

  private final LoadTester tester = new LoadTester();
  private final Queue<LDAPMessage> requests = new ConcurrentLinkedQueue<>();

  /** The controls of the requests that a job sends; one operation with these options. */
  private List<List<Control>> sent(String job, String... options) throws Exception {
    StubServer.Behaviour keeping =
        (request, _, out) -> {
          requests.add(request);
          out.write(StubServer.right(request));
        };
    try (StubServer server = StubServer.start(keeping)) {
      String[] usual = {
        job,
        "--url=ldap://127.0.0.1:" + server.address().getPort(),
        "--users=1000",
        "--connections=1",
        "--operations=3",
        "--warmup-seconds=0",
        "--first-logins=0"
      };
      int exit =
          tester.run(Stream.concat(Stream.of(usual), Stream.of(options)).toArray(String[]::new));
      assertThat(exit).as(tester.err() + tester.out()).isZero();
    }
    return requests.stream().dropWhile(ControlsTest::isLook).map(LDAPMessage::getControls).toList();
  }

  /** Returns whether a request looks at the data before the load. */
  private static boolean isLook(LDAPMessage request) {
    return request.getProtocolOpType() == LDAPMessage.PROTOCOL_OP_TYPE_SEARCH_REQUEST
        && request.getControls().isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "1.2.3, false, -",
        "1.2.3:true, true, -",
        "1.2.3:false, false, -",
        "1.2.3:true:, true, ''",
        "1.2.3:hello, false, hello",
        "1.2.3:truely, false, truely",
        "1.2.3:true:a:b, true, a:b",
        "1.2.3::aGVsbG8=, false, hello",
        "1.2.3:true::aGVsbG8=, true, hello"
      })
  void shouldBeSentAsGiven(String text, boolean isCritical, String value) throws Exception {
    List<List<Control>> controls = sent("search", "--control=" + text);

    assertThat(controls).hasSize(3);
    assertThat(controls)
        .allSatisfy(
            of ->
                assertThat(of)
                    .singleElement()
                    .satisfies(
                        control -> {
                          assertThat(control.getOID()).isEqualTo("1.2.3");
                          assertThat(control.isCritical()).isEqualTo(isCritical);
                          assertThat(control.getValue() == null ? null : text(control))
                              .isEqualTo(value);
                        }));
  }

  private static String text(Control control) {
    return control.getValue().stringValue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"search", "bind", "auth", "heavy"})
  void shouldGoWithEveryRequestOfAJob(String job) throws Exception {
    List<List<Control>> controls =
        sent(job, "--control=" + RELAX, "--control=1.2.3:true:" + "long ".repeat(100));

    assertThat(controls).hasSizeGreaterThanOrEqualTo(3);
    assertThat(controls)
        .allSatisfy(
            of -> assertThat(of).extracting(Control::getOID).containsExactly(RELAX, "1.2.3"));
  }

  /** Patterns have lengths in three octets already. */
  @Test
  void shouldGoWithRequestsOfPatterns() throws Exception {
    List<List<Control>> controls =
        sent("search", "--filter=(uid=user.{rand(0,999)})", "--control=1.2.3");

    assertThat(controls).hasSize(3).allSatisfy(of -> assertThat(of).hasSize(1));
  }

  /** The set-up of connections is not of the job. */
  @Test
  void shouldNotGoWithTheBindOfTheService() throws Exception {
    List<List<Control>> controls =
        sent("search", "--bind-dn=cn=service", "--password=secret", "--control=1.2.3");

    assertThat(controls.getFirst()).isEmpty();
    assertThat(controls.subList(1, 4)).allSatisfy(of -> assertThat(of).hasSize(1));
  }

  /** A search with a control of changes may be refused, or find nothing. */
  @Test
  void shouldNotGoWithLooksAtTheData() throws Exception {
    StubServer.Behaviour keeping =
        (request, _, out) -> {
          requests.add(request);
          out.write(StubServer.answer(request.getMessageID()));
        };
    try (StubServer server = StubServer.start(keeping)) {
      String url = "--url=ldap://127.0.0.1:" + server.address().getPort();
      LoadSettings settings =
          JobCommand.settingsOf(List.of("modify", url, "--users=9", "--control=1.2.3:true"))
              .getFirst();
      assertThat(LoadRun.read(settings, "uid=user.0", "*")).isEmpty();
    }
    assertThat(requests).hasSize(1).allMatch(ControlsTest::isLook);
  }

  @Test
  void shouldGoBesideTheControlsOfAJob() throws Exception {
    StubServer.Behaviour keeping =
        (request, _, out) -> {
          requests.add(request);
          out.write(
              StubServer.answer(
                  request.getMessageID(),
                  StubServer.entry("uid=user.0,ou=People,dc=example,dc=com", "user.0")));
        };
    try (StubServer server = StubServer.start(keeping)) {
      int _ =
          tester.run(
              "paged",
              "--url=ldap://127.0.0.1:" + server.address().getPort(),
              "--users=1",
              "--connections=1",
              "--operations=1",
              "--warmup-seconds=0",
              "--control=1.2.3");
    }

    assertThat(requests)
        .singleElement()
        .satisfies(
            request ->
                assertThat(request.getControls())
                    .extracting(Control::getOID)
                    .containsExactly("1.2.840.113556.1.4.319", "1.2.3"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "relax", "1.2.3.", "1.02", "3.1:true", "1.2.3;true"})
  void shouldExplainTheFormOfAControl(String text) {
    assertThat(tester.run("search", "--url=ldap://localhost:1", "--users=1", "--control=" + text))
        .isEqualTo(ExitCode.USAGE);
    assertThat(tester.err())
        .contains("--control must be OID[:true|false][:VALUE] or OID[:true|false]::BASE64, such as")
        .contains(", not " + text);
  }

  @Test
  void shouldExplainAValueThatIsNotBase64() {
    assertThat(tester.run("search", "--url=ldap://localhost:1", "--users=1", "--control=1.2::a*"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(tester.err())
        .contains("--control must have a value in base64 after '::', not 1.2::a*");
  }
}
