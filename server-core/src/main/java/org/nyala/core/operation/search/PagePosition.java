package org.nyala.core.operation.search;

import java.nio.ByteBuffer;
import org.nyala.core.bytes.ByteAppender;

/**
 * The end of a page of results, as a cookie holds it, so that the server need not remember anything
 * for it.
 *
 * <pre>
 *   u8   1: by entry id; 2: in a sorted list
 *   u64  entries sent in all pages so far
 *   by entry id:       u64 the entry id after which to go on, the scopes added by aliases ({@link AliasScopes#save})
 *   in a sorted list:  u64 list, u32 place in it, u64 id of the last entry, its sort key
 * </pre>
 *
 * <p>Immutable, but for the arrays, which are never written to after construction.
 */
public sealed interface PagePosition {
  /** Entries sent in all pages so far. */
  long sent();

  /** The content of a cookie. */
  byte[] encode();

  /** A place in results by rising entry id. */
  record ById(long sent, long afterId, byte[] scopes) implements PagePosition {
    @Override
    public byte[] encode() {
      return new ByteAppender(32)
          .append(1)
          .appendLong(sent)
          .appendLong(afterId)
          .append(scopes)
          .toByteArray();
    }
  }

  /** A place in a sorted list, or behind its key if the list is gone. */
  record InList(long sent, long list, int place, long lastId, byte[] lastKey)
      implements PagePosition {
    @Override
    public byte[] encode() {
      return new ByteAppender(64)
          .append(2)
          .appendLong(sent)
          .appendLong(list)
          .appendInt(place)
          .appendLong(lastId)
          .append(lastKey)
          .toByteArray();
    }
  }

  /** Reads the result of {@link #encode}; a seal guarantees its origin. */
  static PagePosition decode(byte[] content) {
    ByteBuffer in = ByteBuffer.wrap(content);
    boolean byId = in.get() == 1;
    long sent = in.getLong();
    if (byId) {
      return new ById(sent, in.getLong(), rest(in));
    }
    return new InList(sent, in.getLong(), in.getInt(), in.getLong(), rest(in));
  }

  private static byte[] rest(ByteBuffer in) {
    byte[] rest = new byte[in.remaining()];
    in.get(rest);
    return rest;
  }
}
