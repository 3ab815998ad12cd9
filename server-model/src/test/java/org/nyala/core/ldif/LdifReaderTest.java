package org.nyala.core.ldif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.ldif.LdifEvents.HERE;
import static org.nyala.core.ldif.LdifEvents.events;
import static org.nyala.core.ldif.LdifEvents.stream;
import static org.nyala.core.ldif.LdifEvents.text;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.directory.api.ldap.model.ldif.LdifEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;

class LdifReaderTest {
  private static final String SAMPLE =
      """
      # a comment
       that goes on
      version: 1

      dn: dc=example,dc=com
      objectClass: top
      description:: Z3LDvMOf
      # inside
       again
      cn:  two leading spaces
      empty:


      dn:: b3U9w6QsZGM9ZXhhbXBsZSxkYz1jb20=
      changetype: add
      description: folded
        once
       \u0020twice
      x;lang-en;binary:: AAEC
      """;

  private static final List<String> SAMPLE_EVENTS =
      List.of(
          "5 dn=dc=example,dc=com",
          "6 objectClass=top",
          "7 description=grüß",
          "10 cn=two leading spaces",
          "11 empty=",
          "14 dn=ou=ä,dc=example,dc=com",
          "16 description=folded once twice",
          "19 x;lang-en;binary=\u0000\u0001\u0002");

  @Test
  void shouldLoseNothingAfterARecordThatIsTooLongWhereverItIsCut() throws IOException {
    for (String lineEnd : List.of("\n", "\r\n")) {
      for (int length = 30; length < 150; length++) {
        String ldif =
            String.join(
                lineEnd,
                List.of("dn: cn=a", "cn: " + "x".repeat(length), "", "dn: cn=b", "", "dn: cn=c"));
        assertThat(lines(ldif, 64))
            .as("a value of %d bytes, lines end in %d bytes", length, lineEnd.length())
            .containsExactly(1L, 4L, 6L);
      }
    }
  }

  /** Returns the lines at which records begin if no record may be longer than the chunk. */
  private static List<Long> lines(String ldif, int chunkBytes) throws IOException {
    List<Long> lines = new ArrayList<>();
    LdifLimits limits = new LdifLimits(chunkBytes, 0, 100);
    LdifChunk chunk = new LdifChunk(chunkBytes);
    LdifParser parser = new LdifParser(limits, HERE);
    LdifRecord record = new LdifRecord();
    try (LdifChunkReader reader = new LdifChunkReader(stream(ldif), limits)) {
      while (reader.next(chunk)) {
        parser.start(chunk);
        while (parser.next(record)) {
          lines.add(record.line());
        }
      }
    }
    return lines;
  }

  @Test
  void shouldReadEveryFormOfLine() throws IOException {
    assertThat(events(SAMPLE)).isEqualTo(SAMPLE_EVENTS);
  }

  @Test
  void shouldReadWindowsLineEndsAndByteOrderMark() throws IOException {
    assertThat(events("\ufeff" + SAMPLE.replace("\n", "\r\n"))).isEqualTo(SAMPLE_EVENTS);
  }

  @Test
  void shouldReadTheSameHoweverTheStreamIsCut() throws IOException {
    byte[] bytes = SAMPLE.getBytes(StandardCharsets.UTF_8);
    for (int cut = 0; cut <= bytes.length; cut++) {
      InputStream input =
          new SequenceInputStream(
              new ByteArrayInputStream(bytes, 0, cut),
              new ByteArrayInputStream(bytes, cut, bytes.length - cut));
      assertThat(events(input, LdifLimits.DEFAULT)).as("cut at %d", cut).isEqualTo(SAMPLE_EVENTS);
    }
  }

  @Test
  void shouldReadTheSameWithChunksOfAnySize() throws IOException {
    byte[] bytes = SAMPLE.getBytes(StandardCharsets.UTF_8);
    for (int size = 64; size <= bytes.length + 1; size++) {
      List<String> lines = new ArrayList<>();
      LdifChunk chunk = new LdifChunk(size);
      LdifParser parser = new LdifParser(LdifLimits.DEFAULT, HERE);
      LdifRecord record = new LdifRecord();
      try (LdifChunkReader chunks =
          new LdifChunkReader(new ByteArrayInputStream(bytes), LdifLimits.DEFAULT)) {
        while (chunks.next(chunk)) {
          parser.start(chunk);
          while (parser.next(record)) {
            lines.add(record.line() + " " + record.size() + " " + record.error());
          }
        }
      }
      assertThat(lines).as("chunks of %d", size).containsExactly("5 4 null", "14 2 null");
    }
  }

  @Test
  void shouldRejectBadRecordsWithTheirLinesAndGoOn() throws IOException {
    String ldif =
        """
        dn: cn=a
        cn a

        dn: cn=b
        changetype: modify
        replace: cn
        cn: x
        -

        dn: cn=c
        control: 1.2.3 true
        changetype: add
        cn: c

        cn: d

        dn: cn=e
        cn:: %%%

        dn: cn=f
        cn: f
        dn: cn=g
        cn: g

        dn:: A
        cn: h

        version: 2
        dn: cn=i

         lost
        dn: cn=j

        dn: cn=k
        photo:< http://example.com/k

        dn: cn=l
        photo:< file:///no/such/file

        dn: cn=z
        cn: z
        """;
    assertThat(events(ldif))
        .containsExactly(
            "error 2: expected \"attribute: value\" but found no colon",
            "error 5: a change and not an entry: \"changetype: modify\"",
            "error 11: controls have no meaning here",
            "error 15: expected \"dn:\" but found \"cn:\"",
            "error 18: the value is not valid base64",
            "error 22: a second \"dn:\"; is the blank line before it missing?",
            "error 25: the DN is not valid base64",
            "error 28: only version 1 of LDIF is known",
            "error 31: a continuation line with nothing to continue",
            "error 35: only file URLs are read, not \"http://example.com/k\"",
            "error 38: no such file: /no/such/file",
            "40 dn=cn=z",
            "41 cn=z");
  }

  @Test
  void shouldTakeDirectivesForAttributesUnlessTheyFollowTheDn() throws IOException {
    String ldif =
        """
        dn: cn=a
        changetype: add
        changetype: delete
        control: 1.2.3
        cn: a

        dn: cn=b
        cn: b
        changetype: modify

        dn: cn=c
        # a comment in between
        changetype: delete
        """;
    assertThat(events(ldif))
        .containsExactly(
            "1 dn=cn=a",
            "3 changetype=delete",
            "4 control=1.2.3",
            "5 cn=a",
            "7 dn=cn=b",
            "8 cn=b",
            "9 changetype=modify",
            "error 13: a change and not an entry: \"changetype: delete\"");
  }

  @Test
  void shouldRejectBytesThatNoTextHas() throws IOException {
    assertThat(events("dn: cn=a\ncn: x\u0000y\n\ndn: cn=b\ncn: x\ry\n\ndn: cn=c\ncn: c\n"))
        .containsExactly(
            "error 2: a NUL or CR byte in a plain value; such values need base64",
            "error 5: a NUL or CR byte in a plain value; such values need base64",
            "7 dn=cn=c",
            "8 cn=c");
  }

  @Test
  void shouldReadValuesFromFiles(@TempDir Path directory) throws IOException {
    byte[] content = {0, 1, 2, (byte) 0xff};
    Files.write(directory.resolve("a photo.bin"), content);
    Path ldif = directory.resolve("test.ldif");
    Files.writeString(
        ldif,
        "dn: cn=a\nphoto:< file:a%20photo.bin\nphoto:<"
            + directory.resolve("a photo.bin").toUri()
            + "\nphoto:< file://elsewhere/x\n\ndn: cn=b\nphoto:< file:test.ldif\n");
    LdifRecord record = new LdifRecord();
    try (LdifReader reader =
        new LdifReader(Files.newInputStream(ldif), ldif.getParent(), new LdifLimits(1024, 4, 10))) {
      assertThat(reader.next(record)).isTrue();
      assertThat(record.error()).isEqualTo("not a file URL: \"file://elsewhere/x\"");
      assertThat(record.errorLine()).isEqualTo(4);
      assertThat(record.size()).isEqualTo(2);
      for (int i = 0; i < 2; i++) {
        int start = record.valueStart(i);
        assertThat(Arrays.copyOfRange(record.valueBytes(i), start, start + record.valueLength(i)))
            .isEqualTo(content);
      }
      assertThat(reader.next(record)).isTrue();
      assertThat(record.error())
          .isEqualTo("the file has more than 4 bytes: " + directory.resolve("test.ldif"));
    }
  }

  @Test
  void shouldSkipRecordsThatAreTooLong() throws IOException {
    StringBuilder ldif = new StringBuilder("dn: cn=a\ncn: a\n\ndn: cn=long\n");
    for (int i = 0; i < 100_000; i++) {
      ldif.append("member: cn=").append(i).append('\n');
    }
    ldif.append("\ndn: cn=z\ncn: z\n");
    assertThat(events(stream(ldif.toString()), new LdifLimits(4096, 0, 100)))
        .containsExactly(
            "1 dn=cn=a",
            "2 cn=a",
            "error 4: the record is longer than 4096 bytes",
            "100006 dn=cn=z",
            "100007 cn=z");
    assertThat(events(stream(ldif.toString()), new LdifLimits(1 << 24, 0, 10)))
        .contains("error 15: more than 10 values", "100006 dn=cn=z");
  }

  @Test
  void shouldKeepTheTextOfRecords() throws IOException {
    LdifRecord record = new LdifRecord();
    List<String> texts = new ArrayList<>();
    try (LdifReader reader =
        new LdifReader(stream("#c\ndn: cn=a\nbad\n# x\n\ndn: cn=b"), HERE, LdifLimits.DEFAULT)) {
      while (reader.next(record)) {
        texts.add(
            text(record.source, record.sourceStart(), record.sourceEnd() - record.sourceStart()));
      }
    }
    assertThat(texts).containsExactly("dn: cn=a\nbad\n# x\n\n", "dn: cn=b");
  }

  @Test
  void shouldSurviveAnyBytes() throws IOException {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    byte[] sample = SAMPLE.getBytes(StandardCharsets.UTF_8);
    byte[] alphabet = " \n\r:<#dn\u0000=,;-\u00e4A".getBytes(StandardCharsets.UTF_8);
    for (int round = 0; round < 20_000; round++) {
      byte[] mutated = sample.clone();
      int changes = 1 + random.nextInt(12);
      for (int i = 0; i < changes; i++) {
        mutated[random.nextInt(mutated.length)] = alphabet[random.nextInt(alphabet.length)];
      }
      byte[] input = Arrays.copyOf(mutated, random.nextInt(mutated.length + 1));
      assertThat(events(new ByteArrayInputStream(input), new LdifLimits(128, 64, 8)))
          .as("seed %d round %d", seed, round)
          .isNotNull();
    }
  }

  @Test
  void shouldReadWhatApacheReads() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (LdifWriter writer = new LdifWriter(bytes, 20)) {
      for (int i = 0; i < 300; i++) {
        writer.dn(("cn=e" + i + ",dc=example,dc=com").getBytes(StandardCharsets.UTF_8));
        for (int j = 0; j < 5; j++) {
          byte[] value = ("v" + j + "-" + randomText(random)).getBytes(StandardCharsets.UTF_8);
          byte[] name = ("description;x-" + j).getBytes(StandardCharsets.UTF_8);
          writer.attribute(name, value, 0, value.length);
        }
        writer.end();
      }
    }
    List<String> expected = new ArrayList<>();
    try (org.apache.directory.api.ldap.model.ldif.LdifReader apache =
        new org.apache.directory.api.ldap.model.ldif.LdifReader(
            new ByteArrayInputStream(bytes.toByteArray()))) {
      for (LdifEntry entry : apache) {
        expected.add("dn=" + entry.getDn().getName());
        for (int j = 0; j < 5; j++) {
          byte[] value = value(entry, "description;x-" + j);
          expected.add("description;x-" + j + "=" + new String(value, StandardCharsets.UTF_8));
        }
      }
    }
    List<String> actual =
        events(new ByteArrayInputStream(bytes.toByteArray()), LdifLimits.DEFAULT).stream()
            .map(event -> event.substring(event.indexOf(' ') + 1))
            .toList();
    assertThat(actual).as("seed %d", seed).isEqualTo(expected);
  }

  private static byte[] value(LdifEntry entry, String name) {
    org.apache.directory.api.ldap.model.entry.Value value = entry.get(name).get();
    return value.getBytes();
  }

  private static String randomText(Random random) {
    StringBuilder text = new StringBuilder();
    int length = random.nextInt(60);
    for (int i = 0; i < length; i++) {
      text.append("abc :<#=,\u00e4\u20ac".charAt(random.nextInt(11)));
    }
    return text.toString();
  }
}
