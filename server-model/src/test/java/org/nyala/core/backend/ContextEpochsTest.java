package org.nyala.core.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ContextEpochsTest {
  private static final Epoch ONE = new Epoch(1, 2, "0123456789abcdef");
  private static final Epoch APART = new Epoch(1, 3, "0123456789abcde0");
  private static final Epoch TWO = new Epoch(2, 1, "fedcba9876543210");

  private static ContextEpochs of(Epoch ours) {
    return new ContextEpochs(ours, Epoch.NONE);
  }

  @Test
  void shouldReadWhatItWrites() {
    for (ContextEpochs each :
        List.of(ContextEpochs.NONE, of(ONE), new ContextEpochs(Epoch.NONE, TWO))) {
      assertThat(ContextEpochs.parse(each.toString())).isEqualTo(each);
    }
    assertThat(new ContextEpochs(ONE, TWO))
        .hasToString("1#002#0123456789abcdef/2#001#fedcba9876543210");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        "/",
        "1#002#0123456789abcdef;-",
        "1#002/-",
        "0#000#0123456789abcdef/-",
        "-1#002#0123456789abcdef/-",
        "+1#002#0123456789abcdef/-",
        "1000000000#002#0123456789abcdef/-",
        "1#1000#0123456789abcdef/-",
        "1#002#0123456789abcdeg/-",
        "1#002#0123456789abcdef/-/-"
      })
  void shouldRefuseWhatIsNone(String text) {
    assertThat(ContextEpochs.parse(text)).isNull();
  }

  @Test
  void shouldHearOfLaterEpochsAlone() {
    ContextEpochs here = of(ONE);
    assertThat(here.hear(Epoch.NONE)).isSameAs(here);
    assertThat(here.hear(ONE)).isSameAs(here);
    assertThat(here.hear(TWO)).isEqualTo(new ContextEpochs(ONE, TWO));
    assertThat(here.hear(TWO).hear(APART)).isEqualTo(new ContextEpochs(ONE, TWO));
    assertThat(of(TWO).hear(ONE)).isEqualTo(of(TWO));
    assertThat(here.isSuperseded()).isFalse();
    assertThat(here.hear(TWO).isSuperseded()).isTrue();
    assertThat(here.hear(TWO).isConflict()).isFalse();
  }

  /** In whichever order servers hear of the two, the same one has to go on. */
  @Test
  void shouldChooseTheSameOneOfTwoWithOneNumber() {
    assertThat(of(ONE).hear(APART)).isEqualTo(new ContextEpochs(ONE, APART));
    assertThat(of(ONE).hear(APART).isConflict()).isTrue();
    assertThat(of(APART).hear(ONE)).isEqualTo(of(APART));
    assertThat(ContextEpochs.NONE.hear(ONE).hear(APART))
        .isEqualTo(ContextEpochs.NONE.hear(APART).hear(ONE));
    assertThat(ONE.isContinuedBy(APART)).isFalse();
    assertThat(APART.isContinuedBy(ONE)).isFalse();
    assertThat(ONE.isContinuedBy(TWO)).isTrue();
  }

  @Test
  void shouldForgetWhatItHasReached() {
    assertThat(new ContextEpochs(Epoch.NONE, ONE).follow(of(ONE))).isEqualTo(of(ONE));
    assertThat(new ContextEpochs(Epoch.NONE, TWO).follow(of(ONE)))
        .isEqualTo(new ContextEpochs(ONE, TWO));
    assertThat(of(ONE).follow(new ContextEpochs(ONE, TWO))).isEqualTo(new ContextEpochs(ONE, TWO));
  }

  @Test
  void shouldBeginTheEpochAfterAllThatAreKnown() {
    ContextEpochs promoted = new ContextEpochs(ONE, TWO).promoted(9);
    assertThat(promoted.ours().number()).isEqualTo(3);
    assertThat(promoted.ours().serverId()).isEqualTo(9);
    assertThat(promoted.isSuperseded()).isFalse();
    assertThat(ContextEpochs.NONE.promoted(9).ours())
        .isNotEqualTo(ContextEpochs.NONE.promoted(9).ours());
    assertThatIllegalStateException()
        .isThrownBy(() -> of(new Epoch(Epoch.LAST, 1, ONE.mark())).promoted(1));
  }
}
