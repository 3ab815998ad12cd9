package org.nyala.loadtest.generate;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the entries of a template as LDIF, parents before children. It holds one entry for each
 * level, and none of those that are written. Confined to one thread.
 */
public final class Generation {
  private static final byte[] DN = "dn".getBytes(StandardCharsets.US_ASCII);

  private final DirectoryTemplate directory;
  private final Draws draws;
  private final long[] made;
  private final List<Frame> frames = new ArrayList<>();
  private final List<Frame> found = new ArrayList<>();
  private final ByteBuf repeated = Unpooled.buffer(256);
  private long position;
  private int depth;
  private long permutedEntry = -1;
  private long permutedSalt;
  private long factor;
  private long shift;

  /**
   * Begins.
   *
   * @param seed the same seed makes the same entries
   */
  public Generation(DirectoryTemplate directory, long seed) {
    this.directory = directory;
    this.draws = new Draws(seed);
    this.made = new long[directory.templates()];
  }

  DirectoryTemplate directory() {
    return directory;
  }

  Draws draws() {
    return draws;
  }

  /**
   * Writes all entries; to be called once.
   *
   * @throws IllegalArgumentException if an entry cannot be made
   */
  public void write(LdifOutput writer) throws IOException {
    List<EntryTemplate> branches = directory.branches();
    for (int i = 0; i < branches.size(); i++) {
      writeTree(branches.get(i), 0, i, 0, writer);
    }
  }

  private void writeTree(EntryTemplate template, int level, int site, long index, LdifOutput writer)
      throws IOException {
    Frame entry = frame(frames, level, template).begin(template, site, index, position++);
    entry.setOrdinal(made[template.id]++);
    entry.makeName();
    entry.makeLines();
    writer.line(DN, entry.name().array(), 0, entry.name().writerIndex());
    for (int line = 0; line < template.lines.size(); line++) {
      if (entry.has(line)) {
        writeLine(entry, line, writer);
      }
    }
    writer.end();
    for (int i = 0; i < template.sites.size(); i++) {
      EntryTemplate.Site below = template.sites.get(i);
      for (long n = 0; n < below.count(); n++) {
        writeTree(below.template(), level + 1, i, below.first() + n, writer);
      }
    }
  }

  private void writeLine(Frame entry, int number, LdifOutput writer) throws IOException {
    Line line = entry.template().lines.get(number);
    int start = entry.start(number);
    int end = entry.end(number);
    byte[] attribute = line.name();
    switch (line.form()) {
      case PLAIN -> writer.line(attribute, entry.bytes(), start, end);
      case BASE64 -> writer.raw(attribute, ":: ", entry.bytes(), start, end);
      case URL -> writer.raw(attribute, ":< ", entry.bytes(), start, end);
    }
    if (line.repeated() != null) {
      long count = line.repeated().count(entry);
      for (long repetition = 1; repetition < count; repetition++) {
        repeated.clear();
        entry.write(line, repetition, repeated);
        writer.line(attribute, repeated.array(), 0, repeated.writerIndex());
      }
    }
  }

  private Frame frame(List<Frame> all, int level, EntryTemplate template) {
    if (level == all.size()) {
      all.add(new Frame(this, level == 0 ? null : all.get(level - 1), template));
    }
    return all.get(level);
  }

  long entriesOf(EntryTemplate template) {
    return directory.entriesOf(template);
  }

  /** Appends the name of an entry by its number among all of its template. */
  void writeName(EntryTemplate template, long ordinal, ByteBuf out) {
    depth = 0;
    directory.find(
        template,
        ordinal,
        (step, site, index, at) ->
            frame(found, depth++, step).begin(step, site, index, at).makeName());
    ByteBuf name = found.get(depth - 1).name();
    out.writeBytes(name, 0, name.writerIndex());
  }

  /**
   * Puts numbers in another order, which differs from entry to entry.
   *
   * @return each number from 0 up and below {@code all} once
   */
  long permuted(long entry, long salt, long number, long all) {
    if (permutedEntry != entry || permutedSalt != salt) {
      permutedEntry = entry;
      permutedSalt = salt;
      draws.at(entry, salt, -2);
      shift = draws.below(all);
      factor = 1 + draws.below(all);
      while (greatestDivisor(factor, all) != 1) {
        factor++;
      }
    }
    return (number * factor + shift) % all;
  }

  static long greatestDivisor(long a, long b) {
    return b == 0 ? a : greatestDivisor(b, a % b);
  }
}
