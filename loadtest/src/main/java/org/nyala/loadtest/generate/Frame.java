package org.nyala.loadtest.generate;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An entry that is being made: its place in the tree, its name, and the first value of each line.
 * Confined to one thread, and used again for the next entry of the same level.
 */
final class Frame {
  /** The most bytes of one entry beside repeated values. */
  static final int MOST_BYTES = 1 << 26;

  private static final int NONE = -1;
  private static final int UNKNOWN = -1;

  private final Generation generation;
  private final @Nullable Frame parent;
  private final ByteBuf values = Unpooled.buffer(1024);
  private final ByteBuf name = Unpooled.buffer(256);
  private EntryTemplate template;
  private int site;
  private long index;
  private long position;
  private long ordinal;
  private int[] starts = {};
  private int[] ends = {};

  /** Makes a place for entries below those of another frame; null for branches. */
  Frame(Generation generation, @Nullable Frame parent, EntryTemplate template) {
    this.generation = generation;
    this.parent = parent;
    this.template = template;
  }

  /**
   * Goes to an entry.
   *
   * @param newSite the number of its site in the template of its parent, or of the branch
   * @param newIndex its number among the entries of the template below the parent
   * @param newPosition its number among all entries of the file
   */
  Frame begin(EntryTemplate newTemplate, int newSite, long newIndex, long newPosition) {
    template = newTemplate;
    site = newSite;
    index = newIndex;
    position = newPosition;
    ordinal = UNKNOWN;
    values.clear();
    int lines = template.lines.size();
    if (starts.length < lines) {
      starts = new int[lines];
      ends = new int[lines];
    }
    Arrays.fill(starts, 0, lines, NONE);
    return this;
  }

  Generation generation() {
    return generation;
  }

  EntryTemplate template() {
    return template;
  }

  @Nullable Frame parent() {
    return parent;
  }

  int site() {
    return site;
  }

  long index() {
    return index;
  }

  long position() {
    return position;
  }

  /** The number of the entry among all of its template, from 0 up. */
  long ordinal() {
    if (ordinal == UNKNOWN) {
      ordinal = generation.directory().ordinal(this);
    }
    return ordinal;
  }

  /** Tells the number instead of having it computed. */
  void setOrdinal(long known) {
    ordinal = known;
  }

  Draws draws(long salt, long repetition) {
    return generation.draws().at(position, salt, repetition);
  }

  /** Makes the name; that of the parent must be there. */
  void makeName() {
    name.clear();
    if (template.isBranch) {
      name.writeCharSequence(template.name, UTF_8);
      return;
    }
    for (int line : template.nameLines()) {
      make(line);
    }
    for (int line : template.rdnLines) {
      if (name.isReadable()) {
        name.writeByte('+');
      }
      Line made = template.lines.get(line);
      if (!has(line) || ends[line] == starts[line]) {
        throw made.place()
            .problem(
                "entry "
                    + (ordinal() + 1)
                    + " of "
                    + template.title()
                    + " has no "
                    + made.attribute()
                    + " for its name");
      }
      name.writeCharSequence(made.attribute(), UTF_8);
      name.writeByte('=');
      escape(values.array(), starts[line], ends[line]);
    }
    if (parent != null) {
      name.writeByte(',').writeBytes(parent.name, 0, parent.name.writerIndex());
    }
  }

  /** Appends a value as a name has it (RFC 4514, section 2.4). */
  private void escape(byte[] bytes, int from, int to) {
    for (int at = from; at < to; at++) {
      byte b = bytes[at];
      boolean isEdge = at == from || at == to - 1;
      if (b == 0) {
        name.writeCharSequence("\\00", UTF_8);
        continue;
      }
      if (",+\"\\<>;=".indexOf(b) >= 0 || b == ' ' && isEdge || b == '#' && at == from) {
        name.writeByte('\\');
      }
      name.writeByte(b);
    }
  }

  /** Makes the lines that the name did not need. */
  void makeLines() {
    for (int line = 0; line < template.lines.size(); line++) {
      if (starts[line] == NONE) {
        make(line);
      }
    }
  }

  private void make(int number) {
    Line line = template.lines.get(number);
    for (Line.Condition condition : line.conditions()) {
      if (!condition.holds(this)) {
        return;
      }
    }
    if (line.repeated() != null && line.repeated().count(this) == 0) {
      return;
    }
    int start = values.writerIndex();
    write(line, 0, values);
    starts[number] = start;
    ends[number] = values.writerIndex();
  }

  /** Appends one value of a line. */
  void write(Line line, long repetition, ByteBuf out) {
    for (Tag tag : line.tags()) {
      tag.write(this, repetition, out);
    }
    if (out.writerIndex() > MOST_BYTES) {
      throw line.place()
          .problem("the values of an entry are longer than " + MOST_BYTES + " bytes together");
    }
  }

  /** Returns whether the entry has a line. */
  boolean has(int line) {
    return starts[line] != NONE;
  }

  /** The bytes of all values; borrowed until the next one is made. */
  byte[] bytes() {
    return values.array();
  }

  int start(int line) {
    return starts[line];
  }

  int end(int line) {
    return ends[line];
  }

  /** The first value of a line that the entry has. */
  String text(int line) {
    return values.toString(starts[line], ends[line] - starts[line], UTF_8);
  }

  /** Appends the first characters of the first value of a line. */
  void copy(int line, int most, ByteBuf out) {
    int end = starts[line];
    for (int characters = 0; end < ends[line]; end++) {
      if ((values.getByte(end) & 0xc0) != 0x80 && ++characters > most) {
        break;
      }
    }
    if (out.writerIndex() > MOST_BYTES) {
      throw template
          .lines
          .get(line)
          .place()
          .problem("the values of an entry are longer than " + MOST_BYTES + " bytes together");
    }
    out.writeBytes(values, starts[line], end - starts[line]);
  }

  /** The name that was made. */
  ByteBuf name() {
    return name;
  }

  /** Appends the name, or some of its RDNs: the first so many, or the last ones if negative. */
  void copyName(Tag.Name.Kind kind, int rdns, ByteBuf out) {
    ByteBuf source = name;
    if (kind == Tag.Name.Kind.PARENT) {
      if (parent == null) {
        return;
      }
      source = parent.name;
    }
    int wanted = kind == Tag.Name.Kind.RDN ? 1 : rdns;
    int from = 0;
    int to = source.writerIndex();
    if (wanted != Tag.Name.ALL) {
      int[] commas = commas(source);
      if (wanted > 0 && wanted <= commas.length) {
        to = commas[wanted - 1];
      } else if (wanted < 0 && -wanted <= commas.length) {
        from = commas[commas.length + wanted] + 1;
      }
    }
    out.writeBytes(source, from, to - from);
  }

  /** The places of the commas between RDNs. */
  private static int[] commas(ByteBuf name) {
    int[] found = new int[4];
    int count = 0;
    for (int at = 0; at < name.writerIndex(); at++) {
      byte b = name.getByte(at);
      if (b == '\\') {
        at++;
      } else if (b == ',') {
        if (count == found.length) {
          found = Arrays.copyOf(found, 2 * count);
        }
        found[count++] = at;
      }
    }
    return Arrays.copyOf(found, count);
  }
}
