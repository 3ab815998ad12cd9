package org.nyala.constraint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.constraint.ConstraintSource.ConstraintOverlay;

class TranslatedExpressionTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "^[a-z]+$ ^[a-z]+$",
        "[]\\a]\\. []\\\\a]\\.",
        "[^]\\]x [^]\\\\]x",
        "[[:alpha:]\\] [[:alpha:]\\\\]",
        "\\d\\w\\< d\\w\\b",
        "\\`a\\' \\Aa\\z",
        "a{,3}[{,] a{0,3}[{,]",
        "[a [a"
      })
  void shouldWriteExpressionsAsTheServerReadsThem(String posix, String expected) {
    assertThat(ConstraintOverlay.expression(posix)).isEqualTo(expected);
  }

  @Test
  void shouldRefuseExpressionsThatTheServerDoesNotHave() {
    for (String expression : List.of("(a)\\1", "[[.a.]]", "[[=a=]]")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ConstraintOverlay.expression(expression))
          .withMessageStartingWith("expressions have no");
    }
  }
}
