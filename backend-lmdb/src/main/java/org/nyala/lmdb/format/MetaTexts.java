package org.nyala.lmdb.format;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.GetOp;
import org.lmdbjava.Txn;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.StoreException;

/** The texts of the {@code meta} database. Keys and values are UTF-8. */
final class MetaTexts {
  private MetaTexts() {}

  /** A value, and the part of its key that comes after the prefix. */
  record Item(String name, String value) {}

  /** Returns the values whose keys begin with a prefix. */
  static List<Item> list(Dbi<ByteBuffer> meta, Txn<ByteBuffer> txn, String prefix) {
    List<Item> items = new ArrayList<>();
    try (Cursor<ByteBuffer> cursor = meta.openCursor(txn)) {
      boolean found = cursor.get(key(prefix), GetOp.MDB_SET_RANGE);
      while (found) {
        String name = decode(cursor.key());
        if (!name.startsWith(prefix)) {
          break;
        }
        items.add(new Item(name.substring(prefix.length()), decode(cursor.val())));
        found = cursor.next();
      }
    }
    return items;
  }

  /**
   * Returns the value of a key.
   *
   * @throws StoreException if there is none
   */
  static String text(LmdbEnvironment environment, Txn<ByteBuffer> txn, String key) {
    String value = get(environment.meta(), txn, key);
    if (value == null) {
      throw new StoreException(
          "the store in " + environment.directory() + " is incomplete: no " + key);
    }
    return value;
  }

  /**
   * Returns the number that a key has.
   *
   * @throws StoreException if there is none
   */
  static long number(LmdbEnvironment environment, Txn<ByteBuffer> txn, String key) {
    String text = text(environment, txn, key);
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new StoreException(
          "the store in " + environment.directory() + " is damaged: " + key + " is " + text, e);
    }
  }

  /** Returns the value of a key; null if there is none. */
  static @Nullable String get(Dbi<ByteBuffer> meta, Txn<ByteBuffer> txn, String key) {
    ByteBuffer value = meta.get(txn, key(key));
    return value == null ? null : decode(value);
  }

  static void put(Dbi<ByteBuffer> meta, Txn<ByteBuffer> txn, String key, String value) {
    meta.put(txn, key(key), key(value));
  }

  /** Returns a number with leading zeros. */
  static String padded(int number, int digits) {
    String text = Integer.toString(number);
    return "0".repeat(digits - text.length()) + text;
  }

  private static ByteBuffer key(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  private static String decode(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(buffer.position(), bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
