package org.nyala.core.bytes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTextTest {
  @ParameterizedTest
  @ValueSource(
      ints = {
        0, '\n', '\r', '\t', 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x200b, 0x200f, 0x2028, 0x2029, 0x202e,
        0x2066, 0xd800, 0xe000, 0xfeff, 0xffff, 0xe0041
      })
  void shouldReplaceWhatCouldDriveATerminalOrForgeALine(int character) {
    assertThat(PrintableText.of("a" + Character.toString(character) + "b", 9)).isEqualTo("a?b");
  }

  @Test
  void shouldKeepTheLettersOfAllLanguages() {
    for (String text : new String[] {"", "a b'\"\\", "é", "日本", "שלום", "e\u0301", "😀"}) {
      assertThat(PrintableText.of(text, 9)).isEqualTo(text);
    }
  }

  @Test
  void shouldCutLongTextBetweenCharacters() {
    assertThat(PrintableText.of("😀😀", 2)).isEqualTo("😀😀");
    assertThat(PrintableText.of("😀😀", 1)).isEqualTo("😀...");
    assertThat(PrintableText.of("\u202eab", 2)).isEqualTo("?a...");
  }
}
