package org.nyala.core.ldif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.ldif.LdifEvents.events;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class LdifWriterTest {
  @Test
  void shouldWriteSafeStringsPlainAndTheRestInBase64() throws IOException {
    assertThat(written("plain")).isEqualTo("x: plain\n");
    assertThat(written("")).isEqualTo("x:\n");
    for (String unsafe :
        List.of(" x", "x ", ":x", "<x", "x\ny", "x\ry", "x\u0000", "\u00e4", "x\u007f\u0080")) {
      byte[] bytes = unsafe.getBytes(StandardCharsets.UTF_8);
      assertThat(written(unsafe))
          .isEqualTo("x:: " + Base64.getEncoder().encodeToString(bytes) + "\n");
    }
  }

  private static String written(String value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (LdifWriter writer = new LdifWriter(bytes, LdifWriter.NO_FOLDING)) {
      byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
      writer.attribute(new byte[] {'x'}, utf8, 0, utf8.length);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void shouldFoldLinesAndReadThemBack() throws IOException {
    for (int columns = 2; columns < 80; columns++) {
      for (int length = 0; length < 160; length += 7) {
        byte[] value =
            "0123456789".repeat(16).substring(0, length).getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (LdifWriter writer = new LdifWriter(bytes, columns)) {
          writer.dn(new byte[] {'c', 'n', '=', 'a'});
          writer.attribute(new byte[] {'x'}, value, 0, length);
          writer.end();
        }
        String text = bytes.toString(StandardCharsets.UTF_8);
        int longest = text.lines().mapToInt(String::length).max().orElseThrow();
        assertThat(longest).isLessThanOrEqualTo(columns);
        List<String> read = events(text);
        assertThat(read.getLast()).endsWith(" x=" + new String(value, StandardCharsets.UTF_8));
      }
    }
  }
}
