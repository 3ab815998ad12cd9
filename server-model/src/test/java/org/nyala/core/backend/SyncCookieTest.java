package org.nyala.core.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SyncCookieTest {
  private static final String ONE = "20260131120000.123456Z#000000#001#000000";
  private static final String TWO = "20260131120000.123456Z#000000#0ab#000000";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rid=001",
        "rid=000,csn=" + ONE,
        "rid=999,sid=0ab,csn=" + ONE + ";" + TWO,
        "rid=007,sid=000"
      })
  void shouldBeReadAndWrittenAlike(String text) {
    assertThat(SyncCookie.parse(text)).hasToString(text);
  }

  @Test
  void shouldTellTheLagOfCopies() {
    assertThat(SyncCookie.lagField(0)).isEmpty();
    assertThat(lag("rid=001")).isZero();
    for (int lag : new int[] {12, 999_999_999, SyncCookie.UNKNOWN_LAG}) {
      assertThat(lag("rid=001" + SyncCookie.lagField(lag))).isEqualTo(lag);
    }
    for (String other : new String[] {"", "x", "1000000000000", "-5", "1.5"}) {
      assertThat(lag("rid=001,lag=" + other)).as(other).isEqualTo(SyncCookie.UNKNOWN_LAG);
    }
  }

  private static int lag(String cookie) {
    SyncCookie parsed = SyncCookie.parse(cookie);
    assertThat(parsed).isNotNull();
    assertThat(SyncCookie.parse(parsed.toString())).isEqualTo(parsed);
    return parsed.lagSeconds();
  }

  @Test
  void shouldTellItsParts() {
    SyncCookie cookie =
        SyncCookie.parse("csn=" + TWO + ";" + ONE + ",sid=fff,rid=12,delcsn=" + ONE);
    assertThat(cookie.replicaId()).isEqualTo(12);
    assertThat(cookie.serverId()).isEqualTo(0xfff);
    assertThat(cookie.csns().csns()).isEqualTo(List.of(Csn.parse(ONE), Csn.parse(TWO)));
    assertThat(SyncCookie.of(CsnVector.EMPTY)).hasToString("rid=000");
  }

  @Test
  void shouldHaveNoMoreThanBeforeDeletions() {
    SyncCookie before = SyncCookie.of(7, CsnVector.EMPTY.with(Csn.parse(ONE)));
    CsnVector reached = CsnVector.EMPTY.with(Csn.parse(ONE)).with(Csn.parse(TWO));
    String text = before.ofDeletions(reached, Csn.parse(TWO));
    assertThat(text)
        .isEqualTo("rid=007,after=" + ONE + ",csn=" + ONE + ";" + TWO + ",delcsn=" + TWO);
    assertThat(SyncCookie.parse(text)).isEqualTo(before);
  }

  /** A number ends where slapd looks for its end: at the next semicolon of all, or at a comma. */
  @Test
  void shouldShowAllNumbersToSlapd() {
    Epoch epoch = new Epoch(7, 1, "0123456789abcdef");
    ContextEpochs epochs = new ContextEpochs(epoch, new Epoch(8, 2, "fedcba9876543210"));
    CsnVector both = CsnVector.EMPTY.with(Csn.parse(ONE)).with(Csn.parse(TWO));
    SyncCookie cookie = new SyncCookie(1, 2, both, "00112233445566ff", epochs, true, 0);
    assertThat(asSlapdReads(cookie.toString())).containsExactly(ONE, TWO);
    assertThat(asSlapdReads(cookie.ofDeletions(both, Csn.parse(TWO)) + SyncCookie.field(epochs)))
        .containsExactly(ONE, TWO);
  }

  /** The numbers in a cookie by the rule of slap_parse_sync_cookie. */
  private static List<String> asSlapdReads(String cookie) {
    List<String> csns = new ArrayList<>();
    int at = cookie.indexOf(",csn=") + ",csn=".length();
    boolean isMore = true;
    while (isMore) {
      int semicolon = cookie.indexOf(';', at);
      int end = semicolon >= 0 ? semicolon : cookie.indexOf(',', at);
      String csn = cookie.substring(at, end < 0 ? cookie.length() : end);
      if (Csn.parse(csn) != null) {
        csns.add(csn);
      }
      isMore = semicolon >= 0;
      at = end + 1;
    }
    return csns;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "rid",
        "rid=",
        "rid=-01",
        "rid=1000",
        "rid=x",
        "csn=" + ONE,
        "rid=001,csn=",
        "rid=001,csn=" + ONE + ";",
        "rid=001,csn=tomorrow",
        "rid=001,after=tomorrow,csn=" + ONE,
        "rid=001,sid=g",
        "rid=001,sid=1000",
        "rid=001,",
        "nothing"
      })
  void shouldBeNoneOtherwise(String text) {
    assertThat(SyncCookie.parse(text)).isNull();
  }
}
