package org.nyala.lmdb.write;

import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.lmdb.format.Trigrams;

/**
 * Turns attribute values into index key prefixes: the one place that defines the keys of a value.
 *
 * <p>Confined to one running operation. Hot during import. A value that its rule cannot normalise
 * has no keys: no assertion can match it either. The same prefix may come more than once.
 */
public final class IndexValues {
  /** Receives key prefixes ({@link IndexKeys}). */
  @FunctionalInterface
  public interface KeySink {
    /** Takes {@code prefix[0..length)}, borrowed until it returns. */
    void key(byte[] prefix, int length);
  }

  private static final byte[] PLAIN_GRAM = {1, 1, 1};

  private final ByteAppender normalized = new ByteAppender(256);
  private final ByteAppender key = new ByteAppender(512);
  private final ByteAppender gram = new ByteAppender(16);

  /**
   * Emits the prefixes of one value in one index.
   *
   * @param attribute the number of the plain type
   */
  public void emit(
      int attribute,
      AttributeType type,
      IndexKind kind,
      byte[] source,
      int offset,
      int length,
      KeySink sink) {
    switch (kind) {
      case EQUALITY -> emitWhole(attribute, kind, type.equality(), source, offset, length, sink);
      case ORDERING -> emitWhole(attribute, kind, type.ordering(), source, offset, length, sink);
      case SUBSTRING -> emitGrams(attribute, type.substrings(), source, offset, length, sink);
      case PRESENCE -> emitPresence(attribute, sink);
      case PARENT, FLAG -> throw new IllegalArgumentException(kind + " has no values");
    }
  }

  private void emitWhole(
      int attribute,
      IndexKind kind,
      @Nullable MatchingRule rule,
      byte[] source,
      int offset,
      int length,
      KeySink sink) {
    if (rule == null
        || !rule.valueNormalizer().normalize(source, offset, length, normalized.clear())) {
      return;
    }
    key.clear();
    IndexKeys.appendPrefix(attribute, kind, normalized.array(), 0, normalized.length(), key);
    sink.key(key.array(), key.length());
  }

  private void emitGrams(
      int attribute,
      @Nullable MatchingRule rule,
      byte[] source,
      int offset,
      int length,
      KeySink sink) {
    Trigrams.begin(normalized.clear());
    if (rule == null || !rule.valueNormalizer().normalize(source, offset, length, normalized)) {
      return;
    }
    Trigrams.end(normalized);
    byte[] text = normalized.array();
    IndexKeys.appendPrefix(
        attribute, IndexKind.SUBSTRING, PLAIN_GRAM, 0, Trigrams.LENGTH, gram.clear());
    byte[] plain = gram.array();
    for (int at = 0; at + Trigrams.LENGTH <= normalized.length(); at++) {
      if (text[at] != 0 && text[at + 1] != 0 && text[at + 2] != 0) {
        // There is nothing to escape: only these three bytes differ from gram to gram.
        plain[IndexKeys.HEADER_LENGTH] = text[at];
        plain[IndexKeys.HEADER_LENGTH + 1] = text[at + 1];
        plain[IndexKeys.HEADER_LENGTH + 2] = text[at + 2];
        sink.key(plain, gram.length());
      } else {
        key.clear();
        IndexKeys.appendPrefix(attribute, IndexKind.SUBSTRING, text, at, Trigrams.LENGTH, key);
        sink.key(key.array(), key.length());
      }
    }
  }

  /** Emits the prefix for the presence of the attribute. */
  public void emitPresence(int attribute, KeySink sink) {
    IndexKeys.appendPresencePrefix(attribute, key.clear());
    sink.key(key.array(), key.length());
  }

  /** Emits the prefix of an entry's place below its parent. */
  void emitParent(long parentId, KeySink sink) {
    IndexKeys.appendParentPrefix(parentId, key.clear());
    sink.key(key.array(), key.length());
  }

  /** Emits a prefix for each flag that is set. */
  public void emitFlags(int flags, KeySink sink) {
    for (int flag = 1; flag <= 0x80; flag <<= 1) {
      if ((flags & flag) != 0) {
        IndexKeys.appendFlagPrefix(flag, key.clear());
        sink.key(key.array(), key.length());
      }
    }
  }
}
