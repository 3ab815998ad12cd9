package org.nyala.core.quality;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PasswordLinesTest {
  private static final String PASSWORD = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8";
  private static final String ABC = "A9993E364706816ABA3E25717850C26C9CD0D89D";

  @TempDir Path folder;

  private long lines;

  /** Reads text, cut in two. */
  private BreachedPasswords read(String text, int cut, boolean isPlain, long minimum)
      throws IOException {
    byte[] bytes = text.getBytes(ISO_8859_1);
    InputStream input =
        new SequenceInputStream(
            new ByteArrayInputStream(bytes, 0, cut),
            new ByteArrayInputStream(bytes, cut, bytes.length - cut));
    Path file = folder.resolve("list");
    try (BreachedListBuilder list = BreachedListBuilder.open(file)) {
      PasswordLines reader = new PasswordLines(list, isPlain, minimum, _ -> {});
      reader.read(input, "input");
      lines = reader.lines();
      list.finish();
    }
    return BreachedPasswords.open(file);
  }

  private static boolean has(BreachedPasswords list, String password) {
    return list.contains(password.getBytes(UTF_8));
  }

  @Test
  void shouldReadDigests() throws IOException {
    String text =
        PASSWORD + ":3\r\n\r\n" + ABC.toLowerCase(Locale.ROOT) + "  \n\n" + "0".repeat(40) + ":1";
    for (int cut = 0; cut <= text.length(); cut++) {
      try (BreachedPasswords list = read(text, cut, false, 1)) {
        assertThat(list.count()).as("cut at %d", cut).isEqualTo(3);
        assertThat(has(list, "password")).isTrue();
        assertThat(has(list, "abc")).isTrue();
        assertThat(list.contains(0)).isTrue();
        assertThat(lines).isEqualTo(3);
      }
      try (BreachedPasswords list = read(text, cut, false, 3)) {
        assertThat(list.count()).isEqualTo(2);
        assertThat(list.contains(0)).isFalse();
      }
    }
  }

  @Test
  void shouldReadPasswords() throws IOException {
    String text = "password\n\r\nabc\r\n x \n\r\r\ny\rz\r\nlast";
    for (int cut = 0; cut <= text.length(); cut++) {
      try (BreachedPasswords list = read(text, cut, true, 1)) {
        assertThat(lines).as("cut at %d", cut).isEqualTo(6);
        assertThat(list.count()).isEqualTo(6);
        for (String each : new String[] {"password", "abc", " x ", "\r", "y\rz", "last"}) {
          assertThat(has(list, each)).as("cut at %d: %s", cut, each).isTrue();
        }
      }
    }
  }

  @Test
  void shouldReadALineOfAnyLength() throws IOException {
    String line = "x".repeat((1 << 20) + 5);
    try (BreachedPasswords list = read(line + "\n" + line + "y", 1000, true, 1)) {
      assertThat(list.count()).isEqualTo(2);
      assertThat(has(list, line + "y")).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "secret",
        "A9993E364706816ABA3E25717850C26C9CD0D89",
        "A9993E364706816ABA3E25717850C26C9CD0D89DD",
        "A9993E364706816ABA3E25717850C26C9CD0D89D:",
        "A9993E364706816ABA3E25717850C26C9CD0D89D:x",
        "A9993E364706816ABA3E25717850C26C9CD0D89D:1234567890123456789",
        "A9993E364706816ABA3E25717850C26C9CD0D89D 1",
        "A9993E364706816ABA3E 25717850C26C9CD0D89D"
      })
  void shouldNameTheLineThatIsNoDigestWithoutShowingIt(String line) {
    assertThatThrownBy(() -> read("\n" + PASSWORD + "\n" + line + "\n", 0, false, 1))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("input, line 3: expected the SHA-1")
        .hasMessageNotContaining(line);
    assertThat(folder).isEmptyDirectory();
  }
}
