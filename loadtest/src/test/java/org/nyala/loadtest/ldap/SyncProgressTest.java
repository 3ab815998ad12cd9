package org.nyala.loadtest.ldap;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.IntermediateResponse;
import com.unboundid.ldap.sdk.controls.ContentSyncDoneControl;
import com.unboundid.ldap.sdk.controls.ContentSyncInfoIntermediateResponse;
import com.unboundid.ldap.sdk.controls.ContentSyncState;
import com.unboundid.ldap.sdk.controls.ContentSyncStateControl;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SyncProgressTest {
  private static final UUID ENTRY = new UUID(1, 2);
  private static final String CSN = "20261126225645.985300Z#000000#001#000000";

  private final SyncProgress progress = new SyncProgress(new byte[0]);

  private static ASN1OctetString octets(String cookie) {
    return cookie == null ? null : new ASN1OctetString(cookie);
  }

  private static BerCursor text(String name) {
    byte[] element = new ASN1OctetString(name).encode();
    BerCursor cursor = new BerCursor();
    cursor.reset(Unpooled.wrappedBuffer(element), 0, element.length);
    assertThat(cursor.next(Pdu.OCTET_STRING)).isTrue();
    return cursor;
  }

  private static BerCursor value(byte[] value) {
    BerCursor cursor = new BerCursor();
    cursor.reset(Unpooled.wrappedBuffer(value), 0, value.length);
    return cursor;
  }

  private void control(Control control) {
    progress.control(text(control.getOID()), value(control.getValue().getValue()));
  }

  private void intermediate(IntermediateResponse response) {
    progress.intermediate(text(response.getOID()), value(response.getValue().getValue()));
  }

  private static ContentSyncStateControl state(String cookie) {
    return new ContentSyncStateControl(ContentSyncState.MODIFY, ENTRY, octets(cookie));
  }

  private String cookie() {
    return new String(progress.cookie(), StandardCharsets.UTF_8);
  }

  private static long nanos(String instant) {
    Instant time = Instant.parse(instant);
    return time.getEpochSecond() * 1_000_000_000 + time.getNano();
  }

  @Test
  void shouldKeepTheLastCookieOfEveryKindOfMessage() {
    progress.begin();
    control(state(null));
    assertThat(cookie()).isEmpty();
    control(state("a-long-one"));
    assertThat(cookie()).isEqualTo("a-long-one");
    intermediate(ContentSyncInfoIntermediateResponse.createNewCookieResponse(octets("b")));
    assertThat(cookie()).isEqualTo("b");
    List<UUID> entries = List.of(ENTRY);
    intermediate(
        ContentSyncInfoIntermediateResponse.createSyncIDSetResponse(octets("c"), entries, true));
    assertThat(cookie()).isEqualTo("c");
    intermediate(ContentSyncInfoIntermediateResponse.createSyncIDSetResponse(null, entries, false));
    assertThat(cookie()).isEqualTo("c");
    control(new ContentSyncDoneControl(octets("d"), true));
    assertThat(cookie()).isEqualTo("d");
    control(new Control("1.2.3", true, octets("other")));
    intermediate(new IntermediateResponse("1.2.3", octets("other")));
    assertThat(cookie()).isEqualTo("d");
  }

  @ParameterizedTest
  @CsvSource({
    "rid=001, rid=001",
    "'rid=001,csn=3#a#001#b', 'rid=001,csn=7#a#000#b;3#a#001#b'",
    "'rid=001,sid=002,csn=9#a#000#b,delcsn=x', 'rid=001,sid=002,csn=9#a#000#b;2#a#001#b'",
    "'rid=001,csn=1#a#001#b;4#a#002#b', 'rid=001,csn=7#a#000#b;2#a#001#b;4#a#002#b'",
  })
  void shouldKeepTheNumbersOfOtherServers(String change, String expected) {
    String refreshed = "rid=000,csn=7#a#000#b;2#a#001#b";
    progress.begin();
    control(state("csn=8#a#003#b"));
    intermediate(
        ContentSyncInfoIntermediateResponse.createRefreshDeleteResponse(octets(refreshed), true));
    assertThat(cookie()).isEqualTo(refreshed);
    control(state(change));
    assertThat(cookie()).isEqualTo(expected);
  }

  @Test
  void shouldKnowTheEndOfTheRefresh() {
    progress.begin();
    for (boolean isDone : new boolean[] {false, true}) {
      intermediate(
          ContentSyncInfoIntermediateResponse.createRefreshPresentResponse(octets("a"), isDone));
      assertThat(progress.isRefreshed()).isEqualTo(isDone);
    }
    assertThat(cookie()).isEqualTo("a");
    progress.begin();
    assertThat(progress.isRefreshed()).isFalse();
    intermediate(ContentSyncInfoIntermediateResponse.createRefreshDeleteResponse(null, true));
    assertThat(progress.isRefreshed()).isTrue();
    assertThat(cookie()).isEqualTo("a");
  }

  @Test
  void shouldHaveNoCookieLeftIfTheContentHasToBeReadAgain() {
    progress.begin();
    control(state("a"));
    progress.ended(51);
    assertThat(cookie()).isEqualTo("a");
    control(new ContentSyncDoneControl(octets("b"), false));
    progress.ended(SyncProgress.REFRESH_REQUIRED);
    assertThat(cookie()).isEqualTo("b");
    progress.begin();
    control(new ContentSyncDoneControl(null, false));
    progress.ended(SyncProgress.REFRESH_REQUIRED);
    assertThat(cookie()).isEmpty();
  }

  @Test
  void shouldTellTheTimeOfAChangeOnce() {
    progress.begin();
    assertThat(progress.takeChangeNanos()).isEqualTo(SyncProgress.NO_TIME);
    control(state("rid=000,sid=001,csn=" + CSN));
    assertThat(progress.takeChangeNanos()).isEqualTo(nanos("2026-11-26T22:56:45.985300Z"));
    assertThat(progress.takeChangeNanos()).isEqualTo(SyncProgress.NO_TIME);
    control(state(null));
    assertThat(progress.takeChangeNanos()).isEqualTo(SyncProgress.NO_TIME);
  }

  @ParameterizedTest
  @CsvSource({
    "rid=001;csn=x, ",
    "csn=20240229235959Z#000000#000#000000, 2024-02-29T23:59:59Z",
    "csn=20261126225645.9Z, 2026-11-26T22:56:45.9Z",
    "csn=19700101000000.000001Z, 1970-01-01T00:00:00.000001Z",
  })
  void shouldReadTimesOfEveryPrecision(String cookie, String expected) {
    control(state(cookie));
    assertThat(progress.takeChangeNanos())
        .isEqualTo(expected == null ? SyncProgress.NO_TIME : nanos(expected));
  }

  @Test
  void shouldReadTheLatestTimeOfSeveral() {
    String later = CSN.replace("2026112622", "2026112623");
    for (String csns : List.of(CSN + ";" + later, later + ";" + CSN)) {
      control(state("rid=001,delcsn=" + later.replace("2026", "2027") + ",csn=" + csns + ",x=y"));
      assertThat(progress.takeChangeNanos()).isEqualTo(nanos("2026-11-26T23:56:45.985300Z"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "csn=",
        "csn=2026",
        "csn=20261326225645Z",
        "csn=20261126225645",
        "csn=20261126225645.",
        "csn=20261126225645.98x300Z",
        "csn=2026112622x645Z",
        "csn=20261126225645.0000000001Z",
        "csn=20261126225645Z#000000;20261126",
        "xcsn=20261126225645Z",
      })
  void shouldFindNoTimeInOtherTexts(String cookie) {
    control(state(cookie));
    assertThat(progress.takeChangeNanos()).isEqualTo(SyncProgress.NO_TIME);
  }

  @Test
  void shouldSurviveMutatedElements() {
    long seed = Long.getLong("test.seed", 4711);
    SplittableRandom random = new SplittableRandom(seed);
    byte[][] values = {
      state("rid=000,csn=" + CSN).getValue().getValue(),
      ContentSyncInfoIntermediateResponse.createRefreshDeleteResponse(octets("c"), false)
          .getValue()
          .getValue()
    };
    for (int round = 0; round < 20_000; round++) {
      byte[] mutated = values[round % 2].clone();
      for (int change = random.nextInt(4); change >= 0; change--) {
        mutated[random.nextInt(mutated.length)] = (byte) random.nextInt(256);
      }
      try {
        progress.control(text(Controls.SYNC_STATE), value(mutated));
        progress.control(text(Controls.SYNC_DONE), value(mutated));
        progress.intermediate(text(Controls.SYNC_INFO), value(mutated));
      } catch (RuntimeException e) {
        throw new AssertionError("round " + round + ", -Dtest.seed=" + seed, e);
      }
    }
    assertThat(progress.cookie().length).isLessThan(1000);
  }
}
