package org.nyala.lmdb.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Txn;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.StoreException;

/**
 * The change sequence numbers that a store keeps for each naming context in its {@code meta}
 * database, one for each server: {@code contextCsn/0000/001}. Format 2 had one for everything,
 * {@code contextCsn}, which stays as {@code contextCsn/former}: the entries of then have no greater
 * one, whatever their server.
 */
final class StoredCsns {
  /** The key of the only number of format 2. */
  static final String KEY_OF_FORMAT_2 = "contextCsn";

  private static final String PREFIX = KEY_OF_FORMAT_2 + "/";

  /** The key that the number of format 2 has in format 3. */
  static final String FORMER_KEY = PREFIX + "former";

  private StoredCsns() {}

  /**
   * Reads the numbers of a naming context, of either format.
   *
   * @param suffix the index of the naming context
   * @throws StoreException if a number is damaged
   */
  static CsnVector read(LmdbEnvironment environment, Txn<ByteBuffer> txn, int suffix) {
    List<StoreMeta.Item> items = StoreMeta.list(environment.meta(), txn, prefix(suffix));
    if (items.isEmpty()) {
      return former(StoreMeta.get(environment.meta(), txn, KEY_OF_FORMAT_2));
    }
    // In the order of keys, which is that of servers.
    List<Csn> csns = new ArrayList<>(items.size());
    for (StoreMeta.Item item : items) {
      Csn csn = Csn.parse(item.value());
      if (csn == null || !item.name().equals(server(csn))) {
        throw new StoreException(
            "the store in "
                + environment.directory()
                + " is damaged: "
                + prefix(suffix)
                + item.name()
                + " is "
                + item.value());
      }
      csns.add(csn);
    }
    return new CsnVector(csns);
  }

  /** Reads the number of format 2 from a store of either format; empty if there is none. */
  static String readFormer(LmdbEnvironment environment, Txn<ByteBuffer> txn) {
    String former = StoreMeta.get(environment.meta(), txn, KEY_OF_FORMAT_2);
    if (former == null) {
      former = StoreMeta.get(environment.meta(), txn, FORMER_KEY);
    }
    return former == null ? "" : former;
  }

  /** Returns the vector of the number of format 2, which need not be one; of nothing if null. */
  private static CsnVector former(@Nullable String text) {
    Csn csn = text == null ? null : Csn.parse(text);
    return csn == null ? CsnVector.EMPTY : CsnVector.EMPTY.with(csn);
  }

  /** Returns a list with an empty vector for each naming context that has none. */
  static List<CsnVector> padded(List<CsnVector> vectors, int size) {
    if (vectors.size() == size) {
      return vectors;
    }
    List<CsnVector> all = new ArrayList<>(vectors);
    while (all.size() < size) {
      all.add(CsnVector.EMPTY);
    }
    return all;
  }

  /** Passes on the keys and values that differ from those of an earlier state. */
  static void forEachChange(
      List<CsnVector> before, List<CsnVector> after, BiConsumer<String, String> sink) {
    for (int i = 0; i < after.size(); i++) {
      CsnVector known = i < before.size() ? before.get(i) : CsnVector.EMPTY;
      if (after.get(i) == known) {
        continue;
      }
      for (Csn csn : after.get(i).csns()) {
        if (!csn.equals(known.of(csn.serverId()))) {
          sink.accept(prefix(i) + server(csn), csn.toString());
        }
      }
    }
  }

  private static String prefix(int suffix) {
    return PREFIX + StoreMeta.padded(suffix, 4) + "/";
  }

  private static String server(Csn csn) {
    String digits = Integer.toHexString(csn.serverId());
    return "0".repeat(3 - digits.length()) + digits;
  }
}
