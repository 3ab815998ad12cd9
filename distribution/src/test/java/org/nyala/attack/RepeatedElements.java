package org.nyala.attack;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Values made from a valid one by repeating or prolonging one of its elements, whatever its
 * structure.
 *
 * <p>Immutable.
 */
final class RepeatedElements {
  private static final byte[] EMPTY_STRING = {Ber.STRING, 0};
  private static final byte[] NAME = "ou=a,".getBytes(ISO_8859_1);
  private static final int MOST_NESTED_BYTES = 300_000;

  /**
   * A value of about a number of bytes.
   *
   * @param name the element and its treatment
   */
  record Variant(String name, IntFunction<byte[]> ofBytes) {}

  /** An element: its header's place, and that of its content. */
  private record Element(int at, int contentAt, int end, int tag) {
    boolean isConstructed() {
      return (tag & 0x20) != 0;
    }
  }

  private final byte[] sample;
  private final List<Variant> variants = new ArrayList<>();

  private RepeatedElements(byte[] sample) {
    this.sample = sample;
  }

  /** Returns the variants of a valid value, which need not be of BER. */
  static List<Variant> of(byte[] sample) {
    RepeatedElements repeated = new RepeatedElements(sample);
    repeated.variants.add(new Variant("zeros", byte[]::new));
    repeated.variants.add(
        new Variant("strings", bytes -> Ber.times(bytes / EMPTY_STRING.length, EMPTY_STRING)));
    repeated.variants.add(
        new Variant("names", bytes -> Ber.times(Math.max(1, bytes / NAME.length), NAME)));
    repeated.variants.add(new Variant("nested", RepeatedElements::nested));
    if (elements(sample, 0, sample.length) != null) {
      repeated.addAll(0, sample.length, content -> content, "");
    }
    return List.copyOf(repeated.variants);
  }

  private static byte[] nested(int bytes) {
    byte[] inner = {};
    while (inner.length < Math.min(bytes, MOST_NESTED_BYTES) - 6) {
      // Each level copies the ones below: four levels at a time keep that short.
      inner = Ber.of(Ber.SEQUENCE, Ber.of(Ber.SEQUENCE, Ber.of(0xa0, Ber.of(0xa2, inner))));
      if (inner.length > 2000) {
        return Ber.of(Ber.SEQUENCE, Ber.times(Math.max(1, bytes / inner.length), inner));
      }
    }
    return inner;
  }

  /** Returns the elements of a part, or null if it does not consist of elements. */
  private static @Nullable List<Element> elements(byte[] bytes, int from, int to) {
    List<Element> all = new ArrayList<>();
    int at = from;
    while (at < to) {
      if (at + 2 > to || bytes[at + 1] < 0 || at + 2 + bytes[at + 1] > to) {
        return null;
      }
      int end = at + 2 + bytes[at + 1];
      all.add(new Element(at, at + 2, end, bytes[at] & 0xff));
      at = end;
    }
    return all;
  }

  /**
   * Adds the variants of the elements in a part.
   *
   * @param around returns the whole value with another content of this part
   */
  private void addAll(int from, int to, UnaryOperator<byte[]> around, String path) {
    List<Element> parts = elements(sample, from, to);
    if (parts == null) {
      return;
    }
    int number = 0;
    for (Element each : parts) {
      String name = path + "/" + number++;
      byte[] before = Arrays.copyOfRange(sample, from, each.at());
      byte[] after = Arrays.copyOfRange(sample, each.end(), to);
      UnaryOperator<byte[]> within =
          content -> around.apply(Ber.join(before, Ber.of(each.tag(), content), after));
      byte[] whole = Arrays.copyOfRange(sample, each.at(), each.end());
      byte[] content = Arrays.copyOfRange(sample, each.contentAt(), each.end());
      variants.add(
          new Variant(
              name + " repeated",
              bytes ->
                  around.apply(
                      Ber.join(
                          before, Ber.times(Math.max(1, bytes / whole.length), whole), after))));
      if (each.isConstructed()) {
        variants.add(
            new Variant(
                name + " of empty", bytes -> within.apply(Ber.times(bytes / 2, EMPTY_STRING))));
        variants.add(new Variant(name + " of distinct", bytes -> within.apply(distinct(bytes))));
        addAll(each.contentAt(), each.end(), within, name);
      } else {
        variants.add(new Variant(name + " long", bytes -> within.apply(prolonged(content, bytes))));
        variants.add(
            new Variant(
                name + " names", bytes -> within.apply(Ber.times(bytes / NAME.length, NAME))));
      }
    }
  }

  private static byte[] prolonged(byte[] content, int bytes) {
    byte[] unit = content.length == 0 ? new byte[] {'x'} : content;
    return Ber.times(Math.max(1, bytes / unit.length), unit);
  }

  /** Returns different strings: nothing that is remembered about one serves the next. */
  private static byte[] distinct(int bytes) {
    int count = Math.max(1, bytes / 10);
    return Requests.each(count, i -> Ber.text(Ber.STRING, "a" + (1_000_000 + i)));
  }
}
