package org.nyala.loadtest.generate;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.Charset;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.text.DecimalFormat;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.PatternRequest;
import org.nyala.loadtest.workload.TextPattern;
import org.nyala.loadtest.workload.Zipf;

/**
 * A part of a value. Its text depends on the seed, the entry and the repetition alone, so that an
 * entry can be made again wherever its name is needed. Immutable. Hot: {@link #write}.
 */
sealed interface Tag {
  /** Appends the text for an entry. */
  void write(Frame entry, long repetition, ByteBuf out);

  /** Returns whether the text can differ between entries with one parent. */
  default boolean varies() {
    return true;
  }

  /** Returns whether names may depend on the text. */
  default boolean isAllowedInNames() {
    return true;
  }

  /** The tag, with those inside it. */
  default List<Tag> parts() {
    return List.of(this);
  }

  /** A tag that makes several values of its line. */
  sealed interface Repeated extends Tag {
    /** The number of values for an entry, 0 or above. */
    long count(Frame entry);

    @Override
    default boolean isAllowedInNames() {
      return false;
    }
  }

  /** A text as it is. */
  @SuppressWarnings("ArrayRecordComponent")
  record Literal(byte[] text) implements Tag {
    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      out.writeBytes(text);
    }

    @Override
    public boolean varies() {
      return false;
    }
  }

  /**
   * The first value of an attribute that precedes; nothing if the entry lacks it.
   *
   * @param most the most characters of it
   */
  record Reference(List<Integer> lines, int most) implements Tag {
    public Reference {
      lines = List.copyOf(lines);
    }

    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      for (int line : lines) {
        if (entry.has(line)) {
          entry.copy(line, most, out);
          return;
        }
      }
    }
  }

  /** A number for each entry, one after the other, below each parent or in the whole file. */
  record Sequential(long first, boolean isOfParent) implements Tag {
    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      PatternRequest.digits(out, first + (isOfParent ? entry.index() : entry.ordinal()), 1);
    }
  }

  /** Placeholders of a pattern: the person is the number among the entries of a template. */
  record Pattern(TextPattern text) implements Tag {
    private static final int REPETITION_BITS = 31;

    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      text.write(out, (int) entry.ordinal(), entry.position() + (repetition << REPETITION_BITS));
    }
  }

  /**
   * Lines of a list: by an even chance, one after the other, or the first ones much more often.
   *
   * @param zipf the chooser of the last one
   */
  @SuppressWarnings("ArrayRecordComponent")
  record ListLine(byte[][] lines, boolean isSequential, @Nullable Zipf zipf, long salt)
      implements Tag {
    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      Draws draws = entry.draws(salt, repetition);
      long at =
          isSequential
              ? (entry.ordinal() + repetition) % lines.length
              : zipf == null ? draws.below(lines.length) : zipf.rank(draws) - 1L;
      out.writeBytes(lines[(int) at]);
    }
  }

  /** Whole numbers by an even chance. */
  record WholeNumber(long first, long last, @Nullable DecimalFormat format, long salt)
      implements Tag {
    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      long number = first + entry.draws(salt, repetition).below(last - first + 1);
      if (format == null) {
        PatternRequest.digits(out, number, 1);
      } else {
        out.writeCharSequence(format.format(number), UTF_8);
      }
    }
  }

  /** Whole numbers of a normal distribution within bounds. */
  record Normal(double mean, double deviation, long least, long most, long salt) implements Tag {
    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      double number = mean + deviation * entry.draws(salt, repetition).normal();
      PatternRequest.digits(out, Math.clamp(Math.round(number), least, most), 1);
    }
  }

  /** Whole numbers from one up, small ones much more often. */
  record Ranked(long first, Zipf zipf, long salt) implements Tag {
    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      long number = first + zipf.rank(entry.draws(salt, repetition)) - 1;
      PatternRequest.digits(out, number, 1);
    }
  }

  /** Times between two, in seconds since 1970, as generalized time (RFC 4517, section 3.3.13). */
  record Timestamp(long first, long last, long salt) implements Tag {
    static final DateTimeFormatter FORMAT =
        DateTimeFormatter.ofPattern("uuuuMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      long seconds = first + entry.draws(salt, repetition).below(last - first + 1);
      out.writeCharSequence(FORMAT.format(Instant.ofEpochSecond(seconds)), US_ASCII);
    }
  }

  /** Telephone numbers of North America. */
  record Telephone(long salt) implements Tag {
    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      Draws draws = entry.draws(salt, repetition);
      out.writeCharSequence("+1 ", US_ASCII);
      PatternRequest.digits(out, draws.below(1000), 3);
      PatternRequest.digits(out.writeByte(' '), draws.below(1000), 3);
      PatternRequest.digits(out.writeByte(' '), draws.below(10_000), 4);
    }
  }

  /**
   * First or last names. Entries have different pairs: every pair is used once, and then again with
   * a number behind the last name.
   */
  @SuppressWarnings("ArrayRecordComponent")
  record PersonName(byte[][] firstNames, byte[][] lastNames, boolean isFirst, long step)
      implements Tag {
    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      long pairs = (long) firstNames.length * lastNames.length;
      long pair = entry.position() % pairs * step % pairs;
      if (isFirst) {
        out.writeBytes(firstNames[(int) (pair % firstNames.length)]);
        return;
      }
      out.writeBytes(lastNames[(int) (pair / firstNames.length)]);
      long round = entry.position() / pairs;
      if (round > 0) {
        PatternRequest.digits(out, round, 1);
      }
    }
  }

  /** The name of the entry or of its parent. */
  record Name(Kind kind, int rdns) implements Tag {
    enum Kind {
      DN,
      RDN,
      PARENT
    }

    /** As many RDNs as there are. */
    static final int ALL = 0;

    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      entry.copyName(kind, rdns, out);
    }

    @Override
    public boolean varies() {
      return false;
    }

    @Override
    public boolean isAllowedInNames() {
      return kind == Kind.PARENT;
    }
  }

  /** The text of other tags in another form. */
  sealed interface Wrapped extends Tag {
    List<Tag> inner();

    @Override
    default List<Tag> parts() {
      List<Tag> all = new ArrayList<>();
      inner().forEach(tag -> all.addAll(tag.parts()));
      return all;
    }

    /** The bytes of the text. */
    default byte[] bytes(Frame entry, long repetition) {
      ByteBuf text = Unpooled.buffer();
      inner().forEach(tag -> tag.write(entry, repetition, text));
      return Arrays.copyOf(text.array(), text.writerIndex());
    }
  }

  /** A name with underscores in the place of commas. */
  record Underscored(List<Tag> inner) implements Wrapped {
    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      for (byte b : bytes(entry, repetition)) {
        out.writeByte(b == ',' ? '_' : b);
      }
    }
  }

  /** Text in base64. */
  record Encoded(List<Tag> inner, Charset charset) implements Wrapped {
    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      byte[] bytes = bytes(entry, repetition);
      byte[] encoded = charset.equals(UTF_8) ? bytes : new String(bytes, UTF_8).getBytes(charset);
      out.writeBytes(Base64.getEncoder().encode(encoded));
    }
  }

  /** A password as its salted hash {@code {SSHA}}, which every server can check. */
  record SaltedHash(List<Tag> inner, long salt) implements Wrapped {
    private static final int SALT_BYTES = 8;

    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      byte[] password = bytes(entry, repetition);
      byte[] random = Unpooled.copyLong(entry.draws(salt, repetition).next()).array();
      MessageDigest sha1 = sha1();
      sha1.update(password);
      byte[] digest = sha1.digest(random);
      byte[] both = Arrays.copyOf(digest, digest.length + SALT_BYTES);
      System.arraycopy(random, 0, both, digest.length, SALT_BYTES);
      out.writeCharSequence("{SSHA}", US_ASCII);
      out.writeBytes(Base64.getEncoder().encode(both));
    }

    private static MessageDigest sha1() {
      try {
        return MessageDigest.getInstance("SHA-1");
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Numbers from one to another, a value for each. */
  record Loop(long first, long last) implements Repeated {
    @Override
    public long count(Frame entry) {
      return last - first + 1;
    }

    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      PatternRequest.digits(out, first + repetition, 1);
    }
  }

  /**
   * The names of different entries of a template, a value for each.
   *
   * @param least the fewest
   * @param most the most; the number is between both by an even chance
   * @param zipf a chooser of the number, by which small ones are more frequent
   */
  record Member(EntryTemplate template, long least, long most, @Nullable Zipf zipf, long salt)
      implements Repeated {
    /** As many members as there are entries. */
    static final long ALL = -1;

    @Override
    public long count(Frame entry) {
      if (least == ALL) {
        return entry.generation().entriesOf(template);
      }
      Draws draws = entry.draws(salt, -1);
      return least + (zipf == null ? draws.below(most - least + 1) : zipf.rank(draws) - 1L);
    }

    @Override
    public void write(Frame entry, long repetition, ByteBuf out) {
      Generation generation = entry.generation();
      long all = generation.entriesOf(template);
      long member =
          least == ALL ? repetition : generation.permuted(entry.position(), salt, repetition, all);
      generation.writeName(template, member, out);
    }
  }
}
