package org.nyala.lmdb.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
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
 * one, whatever their server. The floor of the journal has keys such as {@code journalFloor/001}.
 *
 * <p>Immutable.
 *
 * @param vectors the changes that the naming contexts have, in the order of the suffixes
 * @param former the largest change sequence number of all servers when the store had format 2,
 *     which entries of any server may have; empty if there was none
 * @param floor the largest change sequence numbers that the journal has no more, by server
 */
public record StoredCsns(List<CsnVector> vectors, String former, CsnVector floor) {
  /** The numbers of a store that has none. */
  public static final StoredCsns NONE = new StoredCsns(List.of(), "", CsnVector.EMPTY);

  /** The key of the only number of format 2. */
  static final String KEY_OF_FORMAT_2 = "contextCsn";

  private static final String PREFIX = KEY_OF_FORMAT_2 + "/";
  private static final String FLOOR_PREFIX = "journalFloor/";

  /** The key that the number of format 2 has in format 3. */
  private static final String FORMER_KEY = PREFIX + "former";

  public StoredCsns {
    vectors = List.copyOf(vectors);
  }

  /**
   * Reads the numbers of all naming contexts, of either format.
   *
   * @param size the count of naming contexts
   * @param hasFloor false for a store of format 2, of which the journal has nothing
   * @throws StoreException if a number is damaged
   */
  static StoredCsns read(
      LmdbEnvironment environment, Txn<ByteBuffer> txn, int size, boolean hasFloor) {
    List<CsnVector> all = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      all.add(readContext(environment, txn, i));
    }
    CsnVector floor = hasFloor ? readFloor(environment, txn) : CsnVector.merged(all);
    return new StoredCsns(all, readFormer(environment, txn), floor);
  }

  /**
   * Reads the numbers of a naming context, of either format.
   *
   * @param suffix the index of the naming context
   * @throws StoreException if a number is damaged
   */
  static CsnVector readContext(LmdbEnvironment environment, Txn<ByteBuffer> txn, int suffix) {
    CsnVector vector = read(environment, txn, prefix(suffix));
    return vector.csns().isEmpty()
        ? former(MetaTexts.get(environment.meta(), txn, KEY_OF_FORMAT_2))
        : vector;
  }

  /**
   * Reads the floor of the journal of changes.
   *
   * @throws StoreException if a number is damaged
   */
  static CsnVector readFloor(LmdbEnvironment environment, Txn<ByteBuffer> txn) {
    return read(environment, txn, FLOOR_PREFIX);
  }

  private static CsnVector read(LmdbEnvironment environment, Txn<ByteBuffer> txn, String prefix) {
    // In the order of keys, which is that of servers.
    List<MetaTexts.Item> items = MetaTexts.list(environment.meta(), txn, prefix);
    List<Csn> csns = new ArrayList<>(items.size());
    for (MetaTexts.Item item : items) {
      Csn csn = Csn.parse(item.value());
      if (csn == null || !item.name().equals(server(csn))) {
        throw new StoreException(
            "the store in "
                + environment.directory()
                + " is damaged: "
                + prefix
                + item.name()
                + " is "
                + item.value());
      }
      csns.add(csn);
    }
    return new CsnVector(csns);
  }

  /** Reads the number of format 2 from a store of either format; empty if there is none. */
  private static String readFormer(LmdbEnvironment environment, Txn<ByteBuffer> txn) {
    String former = MetaTexts.get(environment.meta(), txn, KEY_OF_FORMAT_2);
    if (former == null) {
      former = MetaTexts.get(environment.meta(), txn, FORMER_KEY);
    }
    return former == null ? "" : former;
  }

  /** Returns the vector of the number of format 2, which need not be one; of nothing if null. */
  private static CsnVector former(@Nullable String text) {
    Csn csn = text == null ? null : Csn.parse(text);
    return csn == null ? CsnVector.EMPTY : CsnVector.EMPTY.with(csn);
  }

  /** Returns a copy with an empty vector for each naming context that has none. */
  StoredCsns padded(int size) {
    if (vectors.size() == size) {
      return this;
    }
    List<CsnVector> all = new ArrayList<>(vectors);
    while (all.size() < size) {
      all.add(CsnVector.EMPTY);
    }
    return new StoredCsns(all, former, floor);
  }

  /** Returns a copy with a further change in a naming context; the same one if it has that. */
  StoredCsns with(int suffix, Csn csn) {
    CsnVector more = vectors.get(suffix).with(csn);
    if (more == vectors.get(suffix)) {
      return this;
    }
    List<CsnVector> all = List.of(more);
    if (vectors.size() > 1) {
      all = new ArrayList<>(vectors);
      all.set(suffix, more);
    }
    return new StoredCsns(all, former, floor);
  }

  /** Returns a copy with other changes in a naming context. */
  StoredCsns with(int suffix, CsnVector csns) {
    List<CsnVector> all = new ArrayList<>(vectors);
    all.set(suffix, csns);
    return new StoredCsns(all, former, floor);
  }

  /** Passes on the keys that an earlier state had and this one has not. */
  void forEachKeyLostSince(StoredCsns before, Consumer<String> sink) {
    for (int i = 0; i < before.vectors.size(); i++) {
      CsnVector known = vectors.get(i);
      List<Csn> all = known == before.vectors.get(i) ? List.of() : before.vectors.get(i).csns();
      for (Csn csn : all) {
        if (known.of(csn.serverId()) == null) {
          sink.accept(prefix(i) + server(csn));
        }
      }
    }
  }

  /** Returns the largest change sequence number of each server, in all naming contexts. */
  CsnVector largest() {
    return CsnVector.merged(vectors);
  }

  /** Returns a copy with another floor of the journal; the same one if it has that. */
  StoredCsns withFloor(CsnVector other) {
    return other == floor ? this : new StoredCsns(vectors, former, other);
  }

  /** Passes on the keys and values that differ from those of an earlier state. */
  void forEachChangeSince(StoredCsns before, BiConsumer<String, String> sink) {
    if (!former.equals(before.former)) {
      sink.accept(FORMER_KEY, former);
    }
    for (int i = 0; i < vectors.size(); i++) {
      CsnVector known = i < before.vectors.size() ? before.vectors.get(i) : CsnVector.EMPTY;
      forEachChange(prefix(i), known, vectors.get(i), sink);
    }
    forEachChange(FLOOR_PREFIX, before.floor, floor, sink);
  }

  private static void forEachChange(
      String prefix, CsnVector before, CsnVector after, BiConsumer<String, String> sink) {
    if (after == before) {
      return;
    }
    for (Csn csn : after.csns()) {
      if (!csn.equals(before.of(csn.serverId()))) {
        sink.accept(prefix + server(csn), csn.toString());
      }
    }
  }

  private static String prefix(int suffix) {
    return PREFIX + MetaTexts.padded(suffix, 4) + "/";
  }

  private static String server(Csn csn) {
    String digits = Integer.toHexString(csn.serverId());
    return "0".repeat(3 - digits.length()) + digits;
  }
}
