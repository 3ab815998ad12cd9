package org.nyala.netty.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.netty.Pdus.attribute;
import static org.nyala.netty.Pdus.bool;
import static org.nyala.netty.Pdus.element;
import static org.nyala.netty.Pdus.message;
import static org.nyala.netty.Pdus.number;
import static org.nyala.netty.Pdus.present;
import static org.nyala.netty.Pdus.searchOperation;
import static org.nyala.netty.Pdus.text;
import static org.nyala.netty.Pdus.utf8;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.core.limits.ServerLimits;
import org.nyala.netty.Pdus;
import org.nyala.netty.codec.RequestDecoder.ApacheReader;
import org.nyala.netty.codec.RequestDecoder.ApacheReader.Reading;

/**
 * The table of decision 0026: requests that the server reads directly although it has the Apache
 * codec, and how it finds them out.
 */
final class CodecDifferencesTest {
  private static final Path DECISION = Path.of("../src-docs/decisions/0026-two-codecs.md");

  /**
   * A row of the table.
   *
   * @param what its first column
   * @param reading how such a request is read
   * @param requests requests of that kind
   */
  record Row(String what, Reading reading, byte[]... requests) {
    @Override
    public String toString() {
      return what;
    }
  }

  private static byte[] search(byte[] filter, String... names) {
    return message(1, searchOperation("dc=example", 2, 0, filter, names));
  }

  private static byte[] add(byte[]... attributes) {
    return message(1, element(0x68, text("cn=a"), element(0x30, attributes)));
  }

  private static byte[] substrings(byte[]... pieces) {
    return search(element(0xa4, text("cn"), element(0x30, pieces)));
  }

  private static byte[] bind(int version) {
    return message(1, element(0x60, number(2, version), text(""), element(0x80)));
  }

  static Stream<Row> rows() {
    byte[] notUtf8 = {'a', (byte) 0xff};
    byte[] more = {(byte) 0x95, 1, 1};
    byte[][] items = new byte[ServerLimits.DEFAULT.requests().filterNodes() + 1][];
    Arrays.fill(items, present("a"));
    String[] names = new String[ServerLimits.DEFAULT.requests().requestedAttributes() + 1];
    Arrays.setAll(names, i -> "a" + i);
    String[] values = new String[4096];
    Arrays.setAll(values, Integer::toString);
    byte[] deep = Pdus.nested(0xa2, ServerLimits.DEFAULT.requests().filterDepth(), present("a"));
    byte[] lessOrEqual = element(0xa6, text("a"), text("b"));
    return Stream.of(
        new Row(
            "beyond a limit: depth or nodes of the filter, requested attributes",
            Reading.NOT_PLAIN,
            search(element(0xa0, items)),
            search(deep),
            search(present("a"), names)),
        new Row(
            "more than 1 MiB, or more than 4,096 attributes and values: the codec takes several"
                + " times the memory that is charged for",
            Reading.NOT_PLAIN,
            message(
                1, element(0x77, element(0x80, utf8("1.2.3")), element(0x81, new byte[1 << 20]))),
            add(attribute("cn", values))),
        new Row(
            "elements that later versions may add (RFC 4511, section 4)",
            Reading.NOT_PLAIN,
            search(element(0xa3, text("cn"), text("a"), more)),
            message(1, element(0x77, element(0x80, utf8("1.2.3")), more))),
        new Row(
            "text that is not UTF-8: the codec takes replacement characters for it",
            Reading.NOT_PLAIN,
            message(1, element(0x4a, notUtf8)),
            search(element(0x87, notUtf8))),
        new Row(
            "pieces of a substrings filter that are not UTF-8, or empty",
            Reading.NOT_PLAIN,
            substrings(element(0x81, notUtf8)),
            substrings(element(0x80), element(0x82, utf8("a")))),
        new Row(
            "attribute descriptions that are empty or have spaces around them, which the codec"
                + " removes",
            Reading.NOT_PLAIN,
            search(present(" cn")),
            add(attribute("cn ", "a"))),
        new Row(
            "numbers out of their bounds, Booleans other than 0 and 255",
            Reading.NOT_PLAIN,
            message(1, searchOperation("", 4, 0, present("a"))),
            message(1, searchOperation("", 2, -1, present("a"))),
            message(1, element(0x6c, text(""), text("cn=a"), element(1, new byte[] {1})))),
        new Row(
            "binds of another version than 3, which the codec reduces to whether it is 3",
            Reading.NOT_PLAIN,
            bind(2),
            bind(4)),
        new Row(
            "`(&)` and its like for or, without members (RFC 4526)",
            Reading.REFUSED,
            search(element(0xa0)),
            search(element(0xa1))),
        new Row("`(!(a<=b))`", Reading.REFUSED, search(element(0xa2, lessOrEqual))),
        new Row(
            "the scope subordinate",
            Reading.REFUSED,
            message(1, searchOperation("", 3, 0, present("a")))),
        new Row(
            "names that the codec refuses, although they are well-formed: empty ones",
            Reading.REFUSED,
            message(1, element(0x4a)),
            message(1, element(0x6e, text(""), element(0x30, text("cn"), text("v"))))),
        new Row(
            "a Modify without changes, a move to the top of the tree",
            Reading.REFUSED,
            message(1, element(0x66, text("cn=a"), element(0x30))),
            message(1, element(0x6c, text("cn=a"), text("cn=a"), bool(true), element(0x80)))),
        new Row(
            "extended operations with a name that is no object identifier",
            Reading.REFUSED,
            message(1, element(0x77, element(0x80, utf8("what"))))),
        new Row(
            "equal values, or equal attributes of an Add, which the codec merges",
            Reading.MERGED,
            add(attribute("cn", "a", "a")),
            add(attribute("cn", "a"), attribute("CN", "b"))));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void shouldReadAsTheTableSays(Row row) {
    Envelope envelope = new Envelope(ServerLimits.DEFAULT);
    ApacheReader reader =
        new ApacheReader(envelope.reader(), ServerLimits.DEFAULT, Codec.MAXIMUM_PDU_BYTES);
    RequestDecoder apache = new RequestDecoder(envelope, reader);
    for (byte[] request : row.requests()) {
      String outcome = CodecOracleTest.outcome(apache, request);
      assertThat(reader.reading()).as("%s: %s", row, outcome).isEqualTo(row.reading());
      assertThat(outcome).isEqualTo(CodecOracleTest.outcome(Codec.DIRECT.decoder(), request));
    }
  }

  @Test
  void shouldHaveTheRowsOfTheDecision() throws IOException {
    List<String> documented =
        Files.readAllLines(DECISION, StandardCharsets.UTF_8).stream()
            .dropWhile(line -> !line.startsWith("| request |"))
            .skip(2)
            .takeWhile(line -> line.startsWith("|"))
            .map(line -> line.split("\\|", -1)[1].trim())
            .toList();
    assertThat(documented).isEqualTo(rows().map(Row::what).toList());
  }
}
