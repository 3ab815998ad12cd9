package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.protocol.IntermediateResponseProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.ProtocolOp;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.controls.ContentSyncDoneControl;
import com.unboundid.ldap.sdk.controls.ContentSyncInfoIntermediateResponse;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.ContentSyncState;
import com.unboundid.ldap.sdk.controls.ContentSyncStateControl;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.Synchronization;
import org.nyala.loadtest.workload.TestDuration;

/** Tests the jobs of content synchronization with servers that keep to it, or do not. */
@Timeout(300)
class SyncJobsTest {
  private static final int CHANGES = 5;
  private static final Duration LAG = Duration.ofMillis(200);
  private static final LoadRate PATIENT = new LoadRate(0, 1, 60, 1);
  private static final LoadRate IMPATIENT = new LoadRate(0, 1, 0.5, 1);
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMddHHmmss.SSSSSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final CountDownLatch never = new CountDownLatch(1);
  private final ConcurrentLinkedQueue<String> cookies = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<ContentSyncRequestMode> modes = new ConcurrentLinkedQueue<>();

  private void pause() throws InterruptedException {
    assertThat(never.await(5, TimeUnit.MILLISECONDS)).isFalse();
  }

  private static ASN1OctetString octets(String cookie) {
    return cookie == null ? null : new ASN1OctetString(cookie);
  }

  private static byte[] message(int id, ProtocolOp operation, Control... controls) {
    return new LDAPMessage(id, operation, controls).encode().encode();
  }

  private static byte[] change(int id, String cookie) {
    return message(
        id,
        StubServer.entry("uid=user.1,dc=example,dc=com", "user.1"),
        new ContentSyncStateControl(ContentSyncState.MODIFY, new UUID(1, 2), octets(cookie)));
  }

  private static String cookieOf(Instant time) {
    return "rid=000,sid=001,csn=" + TIME.format(time) + "#000000#001#000000";
  }

  private static byte[] refreshed(int id, String cookie) {
    return message(
        id,
        new IntermediateResponseProtocolOp(
            ContentSyncInfoIntermediateResponse.createRefreshPresentResponse(
                octets(cookie), true)));
  }

  private static byte[] newCookie(int id, String cookie) {
    return message(
        id,
        new IntermediateResponseProtocolOp(
            ContentSyncInfoIntermediateResponse.createNewCookieResponse(octets(cookie))));
  }

  private static byte[] done(int id, int resultCode, Control... controls) {
    return message(id, new SearchResultDoneProtocolOp(resultCode, null, null, null), controls);
  }

  /** Notes what a search asks for. */
  private void note(LDAPMessage request) throws LDAPException {
    ContentSyncRequestControl sync =
        new ContentSyncRequestControl(request.getControls().getFirst());
    modes.add(sync.getMode());
    cookies.add(sync.getCookie() == null ? "" : sync.getCookie().stringValue());
  }

  /** Sends two entries of a refresh, which are no operations, and its end. */
  private static void refresh(LDAPMessage request, OutputStream out) throws IOException {
    int id = request.getMessageID();
    out.write(change(id, null));
    out.write(change(id, cookieOf(Instant.EPOCH)));
    out.write(refreshed(id, "refreshed"));
  }

  private static LoadReport follow(StubServer.Behaviour behaviour, String cookie) throws Exception {
    try (StubServer server = StubServer.start(behaviour)) {
      return LoadRun.run(
          settings(server, JobKind.FOLLOW, 60, PATIENT, new Synchronization(false, cookie)));
    }
  }

  private static LoadSettings settings(
      StubServer server, JobKind job, double seconds, LoadRate pace, Synchronization sync) {
    LoadSettings usual = server.settings(job, 1, seconds, pace);
    return new LoadSettings(
        job,
        usual.server(),
        1,
        1,
        new TestDuration(seconds, 0, CHANGES),
        People.of(2),
        usual.account(),
        0,
        JobOptions.DEFAULT.with(sync),
        usual.security(),
        usual.pace());
  }

  @Test
  void shouldCountChangesAfterTheRefreshWithTheirLag() throws Exception {
    LoadReport report =
        follow(
            (request, _, out) -> {
              note(request);
              refresh(request, out);
              while (true) {
                pause();
                out.write(change(request.getMessageID(), cookieOf(Instant.now().minus(LAG))));
                out.write(newCookie(request.getMessageID(), cookieOf(Instant.EPOCH)));
              }
            },
            "rid=001,csn=begin");

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(CHANGES);
    assertThat(report.corrected().getTotalCount()).isEqualTo(CHANGES);
    assertThat(report.latencyMicros(0)).isBetween(LAG.toMillis() * 999.0, 30e6);
    assertThat(cookies).containsExactly("rid=001,csn=begin");
    assertThat(modes).containsExactly(ContentSyncRequestMode.REFRESH_AND_PERSIST);
  }

  @Test
  void shouldSearchAgainFromTheLastCookieWhenTheServerEndsTheSearch() throws Exception {
    String last = cookieOf(Instant.now());
    LoadReport report =
        follow(
            (request, number, out) -> {
              note(request);
              int id = request.getMessageID();
              refresh(request, out);
              while (number == 3) {
                pause();
                out.write(change(id, last));
              }
              switch (number) {
                case 0 -> out.write(done(id, 51));
                case 1 ->
                    out.write(done(id, 4096, new ContentSyncDoneControl(octets("given"), false)));
                case 2 -> out.write(done(id, 4096, new ContentSyncDoneControl(null, false)));
                default -> {}
              }
            },
            "");

    assertThat(cookies).containsExactly("", "refreshed", "given", "");
    assertThat(report.errors()).containsKeys("resultCode51", "resultCode4096");
    assertThat(report.errors().get("resultCode4096")).isEqualTo(2);
    assertThat(report.operations()).isPositive();
  }

  @Test
  void shouldNotTakeAStandingSearchForAStalledOne() throws Exception {
    LoadReport report;
    try (StubServer server = StubServer.start((request, _, out) -> refresh(request, out))) {
      report =
          LoadRun.run(
              settings(server, JobKind.FOLLOW, 1.5, IMPATIENT, new Synchronization(false, "")));
    }

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isZero();
  }

  /** The second refresh stands still; on a machine that does so, the third one may as well. */
  @Test
  void shouldGiveARefreshUpThatStandsStill() throws Exception {
    StubServer.Behaviour behaviour =
        (request, number, out) -> {
          note(request);
          if (number != 1) {
            refresh(request, out);
          }
          if (number == 0) {
            out.write(done(request.getMessageID(), 51));
          }
          while (number > 1) {
            pause();
            out.write(change(request.getMessageID(), cookieOf(Instant.now())));
          }
        };
    try (StubServer server = StubServer.start(behaviour)) {
      LoadReport report =
          LoadRun.run(
              settings(server, JobKind.FOLLOW, 60, IMPATIENT, new Synchronization(false, "")));

      long timeOuts = report.timeOuts();
      assertThat(timeOuts).isPositive();
      assertThat(report.errors()).isEqualTo(Map.of("timedOut", timeOuts, "resultCode51", 1L));
      assertThat(report.operations()).isPositive();
      eventually("every search has come", () -> cookies.size() >= timeOuts + 2);
      assertThat(cookies).hasSize((int) timeOuts + 2).startsWith("", "refreshed", "refreshed");
    }
  }

  @Test
  void shouldSayThatTheServerRefuses() {
    assertThatThrownBy(
            () -> follow((request, _, out) -> out.write(done(request.getMessageID(), 12)), ""))
        .isInstanceOf(LoadTestException.class)
        .hasMessageContaining("the server answered unavailableCriticalExtension (12)");
  }

  @Test
  void shouldCountChangesWithoutATimeOrOfTheFutureAsWrongAnswers() throws Exception {
    for (String cookie : new String[] {null, cookieOf(Instant.now().plusSeconds(3600))}) {
      LoadReport report =
          follow(
              (request, _, out) -> {
                refresh(request, out);
                while (true) {
                  pause();
                  out.write(change(request.getMessageID(), cookie));
                }
              },
              "");

      assertThat(report.errors()).isEqualTo(Map.of("wrongAnswer", (long) CHANGES));
      assertThat(report.operations()).isZero();
      assertThat(report.wrongExample())
          .isEqualTo(
              "an entry came without a time of change in a cookie, or with one that is still to"
                  + " come");
    }
  }

  @Test
  void shouldScanWithStatesAndAnEnd() throws Exception {
    Control done = new ContentSyncDoneControl(octets("end"), false);
    assertThat(scan("", true, done).errors()).isEmpty();
    assertThat(modes).containsOnly(ContentSyncRequestMode.REFRESH_ONLY).hasSize(CHANGES);
    List<String> wrong = List.of("wrongAnswer");
    LoadReport stateless = scan("", false, done);
    assertThat(stateless.errors()).containsOnlyKeys(wrong);
    assertThat(stateless.wrongExample())
        .matches(
            "1 of [2-9]\\d* entries came with their state, and the control that ends a"
                + " synchronization");
    LoadReport endless = scan("", true, new Control("1.2.3"));
    assertThat(endless.errors()).containsOnlyKeys(wrong);
    assertThat(endless.wrongExample())
        .matches(
            "([1-9]\\d*) of \\1 entries came with their state, but not the control that ends a"
                + " synchronization");
    cookies.clear();
    assertThat(scan("since", true, done).errors()).isEmpty();
    assertThat(cookies).containsOnly("since");
  }

  /** Scans a server with two entries, or with one for those who have a cookie. */
  private LoadReport scan(String cookie, boolean hasStates, Control last) throws Exception {
    StubServer.Behaviour behaviour =
        (request, _, out) -> {
          note(request);
          assertThat(request.getSearchRequestProtocolOp().getAttributes())
              .containsExactly("*", "+");
          int id = request.getMessageID();
          out.write(change(id, null));
          if (cookie.isEmpty()) {
            byte[] entry = StubServer.encode(id, StubServer.entry("uid=user.2", "user.2"));
            out.write(hasStates ? change(id, null) : entry);
          }
          out.write(done(id, 0, last));
        };
    try (StubServer server = StubServer.start(behaviour)) {
      return LoadRun.run(
          settings(server, JobKind.SCAN, 60, PATIENT, new Synchronization(true, cookie)));
    }
  }

  @Test
  void shouldRefuseOptionsOfOtherJobs() throws Exception {
    try (StubServer server = StubServer.start((_, _, _) -> {})) {
      for (Synchronization sync :
          List.of(new Synchronization(true, ""), new Synchronization(false, "cookie"))) {
        assertThatThrownBy(() -> settings(server, JobKind.SEARCH, 1, PATIENT, sync))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith("--sync");
      }
      assertThatThrownBy(() -> server.settings(JobKind.FOLLOW, 1, 1, new LoadRate(10, 1, 1, 1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("--rate");
    }
  }
}
