package org.nyala.core.ldif;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.PrintableText;

/**
 * Parses the records of {@link LdifChunk}s (RFC 2849) without an object per value. A record that
 * cannot be parsed carries the reason and the line, and does not affect the next one.
 *
 * <p>Confined to one running operation. As lenient as files in use require: plain values may hold
 * bytes above 127, and a version line is optional.
 */
public final class LdifParser {
  static final int NAME_IN_ARENA = 1;
  static final int VALUE_IN_ARENA = 2;

  private final LdifLimits limits;
  private final FileUrlValues files;
  private LdifChunk chunk = new LdifChunk(0);
  private int position;
  private long lineNumber;

  /* The logical line that was read last. */
  private byte[] text = {};
  private int textStart;
  private int textEnd;
  private long textLine;
  private boolean textInArena;
  private boolean textIsOdd;

  /** True until a line follows the DN: only there a line can be a directive. */
  private boolean isAtHead;

  /**
   * Creates a parser.
   *
   * @param limits the limits of a record
   * @param directory the directory to which relative {@code file:} URLs are relative
   */
  public LdifParser(LdifLimits limits, Path directory) {
    this.limits = limits;
    this.files = new FileUrlValues(directory, limits.urlBytes());
  }

  /** Goes to the beginning of a chunk. */
  public void start(LdifChunk newChunk) {
    chunk = newChunk;
    position = 0;
    lineNumber = newChunk.firstLine;
  }

  /**
   * Parses the next record of the chunk; false if there is none. Ask {@link LdifRecord#error()}
   * whether it can be used.
   */
  public boolean next(LdifRecord record) {
    record.clear();
    record.source = chunk.bytes;
    isAtHead = true;
    if (chunk.oversized) {
      return rejectOversized(record);
    }
    if (!findRecord(record)) {
      return false;
    }
    parseDn(record);
    while (record.error() == null && readText(record)) {
      parseLine(record);
    }
    skipRest();
    record.sourceEnd = position;
    return true;
  }

  /**
   * Parses the DN alone of the record that begins at a place of the chunk; null if it has none that
   * can be used.
   */
  byte @Nullable [] name(LdifRecord record, int start) {
    record.clear();
    position = start;
    if (!findRecord(record)) {
      return null;
    }
    parseDn(record);
    return record.error() == null ? record.dnBytes() : null;
  }

  private boolean rejectOversized(LdifRecord record) {
    if (position == chunk.length) {
      return false;
    }
    record.line = lineNumber;
    record.reject(lineNumber, "the record is longer than " + limits.recordBytes() + " bytes");
    record.sourceStart = 0;
    record.sourceEnd = chunk.length;
    position = chunk.length;
    return true;
  }

  /** Moves to the first line of a record that is no comment and no version, and reads it. */
  private boolean findRecord(LdifRecord record) {
    while (position < chunk.length) {
      int start = position;
      record.arena.clear();
      if (!readLine(record) || text[textStart] == '#') {
        continue;
      }
      record.sourceStart = start;
      record.line = textLine;
      if (!startsWith("version:")) {
        return true;
      }
      if (!textOf(textStart + 8, textEnd).strip().equals("1")) {
        record.reject(textLine, "only version 1 of LDIF is known");
        return true;
      }
    }
    return false;
  }

  /** Reads lines up to one that is no comment; false if the record ends. */
  private boolean readText(LdifRecord record) {
    while (readLine(record)) {
      if (text[textStart] != '#') {
        return true;
      }
    }
    return false;
  }

  private void skipRest() {
    byte[] bytes = chunk.bytes;
    int end = chunk.length;
    if (position >= 2 && bytes[position - 1] == '\n' && isBlank(bytes, position)) {
      return;
    }
    while (position < end) {
      int start = position;
      while (position < end && bytes[position++] != '\n') {
        // to the end of the line
      }
      lineNumber++;
      boolean blank = bytes[start] == '\n' || bytes[start] == '\r' && position - start == 2;
      if (blank) {
        return;
      }
    }
  }

  /** Returns whether the line that ends before {@code next} is blank. */
  private static boolean isBlank(byte[] bytes, int next) {
    int before = bytes[next - 2] == '\r' ? next - 3 : next - 2;
    return before < 0 || bytes[before] == '\n';
  }

  /**
   * Reads one logical line, unfolded; false if it is blank or the chunk ends. An unfolded line is
   * in the arena, a line that was not folded stays where it is.
   */
  private boolean readLine(LdifRecord record) {
    byte[] bytes = chunk.bytes;
    int end = chunk.length;
    int start = position;
    if (start >= end) {
      return false;
    }
    textLine = lineNumber;
    textIsOdd = false;
    int contentEnd = endOfLine(bytes, start, end);
    text = bytes;
    textStart = start;
    textEnd = contentEnd;
    textInArena = false;
    if (contentEnd == start) {
      return false;
    }
    if (position < end && bytes[position] == ' ') {
      unfold(record, bytes, end);
    }
    return true;
  }

  private void unfold(LdifRecord record, byte[] bytes, int end) {
    int from = record.arena.length();
    record.arena.append(bytes, textStart, textEnd - textStart);
    while (position < end && bytes[position] == ' ') {
      int start = position + 1;
      int contentEnd = endOfLine(bytes, start, end);
      record.arena.append(bytes, start, contentEnd - start);
    }
    text = record.arena.array();
    textStart = from;
    textEnd = record.arena.length();
    textInArena = true;
  }

  /** Moves behind the line that holds {@code from}; returns the end of its content. */
  private int endOfLine(byte[] bytes, int from, int end) {
    int at = from;
    byte b = 0;
    while (at < end && (b = bytes[at]) != '\n') {
      if (b == 0 || b == '\r') {
        textIsOdd |= b == 0 || at + 1 < end && bytes[at + 1] != '\n';
      }
      at++;
    }
    lineNumber++;
    position = Math.min(at + 1, end);
    return at > from && bytes[at - 1] == '\r' ? at - 1 : at;
  }

  private void parseDn(LdifRecord record) {
    if (record.error() != null) {
      return;
    }
    if (text[textStart] == ' ') {
      record.reject(textLine, "a continuation line with nothing to continue");
      return;
    }
    if (!startsWith("dn:")) {
      record.reject(textLine, "expected \"dn:\" but found " + excerpt());
      return;
    }
    int from = record.arena.length();
    int valueAt = textStart + 3;
    if (valueAt < textEnd && text[valueAt] == ':') {
      if (!Base64Values.decode(text, valueAt + 1, textEnd, record.arena)) {
        record.reject(textLine, "the DN is not valid base64");
        return;
      }
      record.setDn(record.arena.array(), from, record.arena.length() - from);
      return;
    }
    if (textIsOdd) {
      record.reject(textLine, ODD);
      return;
    }
    int start = skipSpaces(valueAt);
    record.setDn(text, start, textEnd - start);
  }

  private static final String ODD = "a NUL or CR byte in a plain value; such values need base64";

  private void parseLine(LdifRecord record) {
    boolean isFirst = isAtHead;
    isAtHead = false;
    int colon = textStart;
    int end = textEnd;
    byte[] line = text;
    while (colon < end && line[colon] != ':') {
      if (!isNameByte(line[colon])) {
        colon = end;
      } else {
        colon++;
      }
    }
    if (colon == end || colon == textStart) {
      record.reject(textLine, "expected \"attribute: value\" but found " + excerpt());
    } else if (isDirective(record, colon, isFirst)) {
      // nothing to keep
    } else if (record.size() == limits.valuesPerRecord()) {
      record.reject(textLine, "more than " + limits.valuesPerRecord() + " values");
    } else {
      parseValue(record, colon);
    }
  }

  /**
   * Returns whether the line is not an attribute but a directive for the record. {@code control}
   * and {@code changetype} do so only directly after the DN (RFC 2849), and as controls are
   * rejected, that is the first line; elsewhere they are attributes.
   */
  private boolean isDirective(LdifRecord record, int colon, boolean isFirst) {
    int length = colon - textStart;
    if (isFirst && length == 10 && startsWith("changetype:")) {
      String kind = textOf(colon + 1, textEnd).strip();
      if (!kind.equalsIgnoreCase("add")) {
        String shown = PrintableText.of(kind, 40);
        record.reject(textLine, "a change and not an entry: \"changetype: " + shown + '"');
      }
      return true;
    }
    if (isFirst && length == 7 && startsWith("control:")) {
      record.reject(textLine, "controls have no meaning here");
      return true;
    }
    if (length == 2 && startsWith("dn:")) {
      record.reject(textLine, "a second \"dn:\"; is the blank line before it missing?");
      return true;
    }
    return false;
  }

  private void parseValue(LdifRecord record, int colon) {
    int place = textInArena ? NAME_IN_ARENA : 0;
    int nameLength = colon - textStart;
    int marker = colon + 1 < textEnd ? text[colon + 1] : 0;
    if (marker != ':' && marker != '<') {
      if (textIsOdd) {
        record.reject(textLine, ODD);
        return;
      }
      int start = skipSpaces(colon + 1);
      int both = textInArena ? NAME_IN_ARENA | VALUE_IN_ARENA : 0;
      record.add(textLine, both, textStart, nameLength, start, textEnd - start);
      return;
    }
    int from = record.arena.length();
    String reason = marker == ':' ? decode(record, colon + 2) : readFile(record, colon + 2);
    if (reason != null) {
      record.reject(textLine, reason);
      return;
    }
    int length = record.arena.length() - from;
    record.add(textLine, place | VALUE_IN_ARENA, textStart, nameLength, from, length);
  }

  private @Nullable String decode(LdifRecord record, int at) {
    return Base64Values.decode(text, at, textEnd, record.arena)
        ? null
        : "the value is not valid base64";
  }

  private @Nullable String readFile(LdifRecord record, int at) {
    return files.append(textOf(at, textEnd).strip(), record.arena);
  }

  private int skipSpaces(int at) {
    int start = at;
    while (start < textEnd && text[start] == ' ') {
      start++;
    }
    return start;
  }

  /** Returns whether the line begins with {@code prefix}, which is in lower case. */
  private boolean startsWith(String prefix) {
    if (textEnd - textStart < prefix.length()) {
      return false;
    }
    for (int i = 0; i < prefix.length(); i++) {
      int b = text[textStart + i];
      if ((b >= 'A' && b <= 'Z' ? b + 32 : b) != prefix.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isNameByte(byte b) {
    return b >= 'a' && b <= 'z'
        || b >= 'A' && b <= 'Z'
        || b >= '0' && b <= '9'
        || b == '-'
        || b == '.'
        || b == ';'
        || b == '_';
  }

  private String textOf(int from, int to) {
    return new String(text, from, to - from, StandardCharsets.UTF_8);
  }

  /** Returns the line up to its colon: what follows may be a password, as may all without one. */
  private String excerpt() {
    int colon = textStart;
    while (colon < textEnd && text[colon] != ':') {
      colon++;
    }
    if (colon == textEnd) {
      return "no colon";
    }
    return '"' + PrintableText.of(textOf(textStart, Math.min(colon + 1, textStart + 40)), 40) + '"';
  }
}
