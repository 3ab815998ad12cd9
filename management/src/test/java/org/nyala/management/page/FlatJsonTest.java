package org.nyala.management.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;

/** Tests the reader of the bodies of actions. */
class FlatJsonTest {
  @Test
  void shouldReadTextsNumbersAndTruths() {
    assertThat(
            FlatJson.read(
                " {\"a\" : \"x\\\"\\\\\\/\\n\\u00e4\\uD83D\\ude00<b>\", \"n\":-17 ,\"0\":0,"
                    + "\"t\":true,\"f\":false,\"\":\"\"} \n"))
        .isEqualTo(
            Map.of("a", "x\"\\/\nä😀<b>", "n", -17L, "0", 0L, "t", true, "f", false, "", ""));
    assertThat(FlatJson.read("{}")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "}",
        "[]",
        "null",
        "\"a\"",
        "{}{}",
        "{} x",
        "{\"a\":1,}",
        "{,}",
        "{\"a\":1 \"b\":2}",
        "{\"a\"}",
        "{\"a\":}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":null}",
        "{\"a\":{}}",
        "{\"a\":[1]}",
        "{\"a\":1.5}",
        "{\"a\":1e5}",
        "{\"a\":01}",
        "{\"a\":-}",
        "{\"a\":1234567890123456789}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":\"x}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"\\u12",
        "{\"a\":\"\\u١٢٣٤\"}",
        "{\"a\":True}"
      })
  void shouldRefuseEverythingElse(String text) {
    assertThatThrownBy(() -> FlatJson.read(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldReadOrRefuseWhateverComes() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    String good = "{\"dn\":\"uid=a\\u0041\",\"n\":12,\"t\":true}";
    int read = 0;
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder(good);
      for (int j = 1 + random.nextInt(3); j > 0; j--) {
        text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(128));
      }
      try {
        read += FlatJson.read(text.toString()).size();
      } catch (IllegalArgumentException e) {
        assertThat(e).as("test.seed=%s", seed).hasMessageStartingWith("expected one JSON object");
      }
    }
    assertThat(read).as("test.seed=%s", seed).isPositive();
    // Nothing is read deep, so that nothing overflows.
    assertThatThrownBy(() -> FlatJson.read("{\"a\":".repeat(3000)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
