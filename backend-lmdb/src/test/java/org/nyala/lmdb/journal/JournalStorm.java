package org.nyala.lmdb.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.LmdbReader;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.format.StoreMeta;

/** Random changes with numbers of their own, and the journal that they should leave. */
final class JournalStorm {
  private static final AttributeDescription TITLE =
      AttributeDescription.parse(TestStore.SCHEMA, "title");

  final Random random;
  private long micros = 1_767_225_600_000_000L;
  private int named;
  private State state = new State(new ArrayList<>(), new TreeMap<>());

  /** A unit below the top, and the number of entries below it. */
  private record Unit(long id, UUID uuid, int below) {}

  private record State(List<JournalEntry> journal, Map<String, Unit> units) {
    State copy() {
      return new State(new ArrayList<>(journal), new TreeMap<>(units));
    }
  }

  JournalStorm(Random random) {
    this.random = random;
  }

  /** Creates the store, with its top. */
  void begin(LmdbBackend backend) {
    try (WriteTransaction write = backend.beginWrite()) {
      add(write, TestStore.SUFFIX);
      write.commit();
    }
  }

  List<JournalEntry> journal() {
    return state.journal;
  }

  /** Lets time go by. */
  void pass(long more) {
    micros += more;
  }

  private Csn csn() {
    micros += 1 + random.nextInt(1000);
    return new Csn(micros, 0, random.nextInt(3), 0);
  }

  private void note(JournalEntry.Kind kind, boolean moves, Csn csn, UUID uuid, long id) {
    state.journal.add(new JournalEntry(state.journal.size() + 1L, kind, moves, 0, csn, uuid, id));
  }

  private void add(WriteTransaction write, String name) {
    Entry entry = new Entry(TestStore.dn(name));
    UUID uuid = new UUID(random.nextLong(), random.nextLong());
    TestStore.add(entry, "objectClass", "organizationalUnit");
    TestStore.add(entry, "entryUUID", uuid.toString());
    Csn csn = csn();
    long id = write.apply(new ResolvedChange.Add(entry), csn);
    note(JournalEntry.Kind.ADD, false, csn, uuid, id);
    if (!name.equals(TestStore.SUFFIX)) {
      state.units.put(name, new Unit(id, uuid, 0));
    }
  }

  private static String top(String rdn) {
    return rdn + "," + TestStore.SUFFIX;
  }

  /** Makes a change. */
  void change(WriteTransaction write) {
    if (state.units.isEmpty() || random.nextInt(4) == 0) {
      add(write, top("ou=u" + named++));
      return;
    }
    List<String> names = List.copyOf(state.units.keySet());
    String name = names.get(random.nextInt(names.size()));
    Unit unit = state.units.get(name);
    Dn dn = TestStore.dn(name);
    Csn csn = csn();
    switch (random.nextInt(4)) {
      case 0 -> {
        if (unit.below > 0) {
          modify(write, dn, unit, csn);
          return;
        }
        write.apply(new ResolvedChange.Delete(dn, unit.id), csn);
        note(JournalEntry.Kind.DELETE, false, csn, unit.uuid, unit.id);
        state.units.remove(name);
      }
      case 1 -> {
        String other = top("ou=u" + named++);
        write.apply(new ResolvedChange.Rename(dn, unit.id, TestStore.dn(other), List.of()), csn);
        note(JournalEntry.Kind.RENAME, unit.below > 0, csn, unit.uuid, unit.id);
        state.units.remove(name);
        state.units.put(other, unit);
      }
      case 2 -> {
        Entry below = new Entry(TestStore.dn("ou=b" + named++ + "," + name));
        long id = write.apply(new ResolvedChange.Add(below), csn);
        note(JournalEntry.Kind.ADD, false, csn, new UUID(0, 0), id);
        state.units.put(name, new Unit(unit.id, unit.uuid, unit.below + 1));
      }
      default -> modify(write, dn, unit, csn);
    }
  }

  private void modify(WriteTransaction write, Dn dn, Unit unit, Csn csn) {
    AttributeChange title =
        new AttributeChange.Replaced(TITLE, List.of(new byte[] {(byte) ('a' + random.nextInt(9))}));
    write.apply(new ResolvedChange.Modify(dn, unit.id, List.of(title)), csn);
    note(JournalEntry.Kind.MODIFY, false, csn, unit.uuid, unit.id);
  }

  /** Makes changes in a transaction, parts of which are undone, and sometimes all of it. */
  void transact(LmdbBackend backend) {
    State before = state.copy();
    boolean isKept = random.nextInt(5) > 0;
    try (WriteTransaction write = backend.beginWrite()) {
      for (int i = random.nextInt(12); i >= 0; i--) {
        if (random.nextInt(6) > 0) {
          change(write);
          continue;
        }
        State beforePart = state.copy();
        write.beginPart();
        for (int j = random.nextInt(4); j >= 0; j--) {
          change(write);
        }
        if (random.nextBoolean()) {
          write.keepPart();
        } else {
          write.undoPart();
          state = beforePart;
        }
      }
      if (isKept) {
        write.commit();
      }
    }
    if (!isKept) {
      state = before;
    }
  }

  /** Returns the journal of a store. */
  static List<JournalEntry> read(LmdbBackend backend) {
    List<JournalEntry> entries = new ArrayList<>();
    try (ReadTransaction read = backend.beginRead();
        JournalReader journal = new JournalReader(((LmdbReader) read).slot())) {
      for (JournalEntry entry = journal.seek(0); entry != null; entry = journal.next()) {
        entries.add(entry);
      }
    }
    return entries;
  }

  /** Returns the floor of a store's journal. */
  static CsnVector floor(LmdbBackend backend) {
    try (ReadTransaction read = backend.beginRead()) {
      return StoreMeta.journalFloor(backend.environment(), ((LmdbReader) read).slot().txn());
    }
  }

  /** Compares a trimmed journal: what it has is the end of all changes, the rest is its floor. */
  void assertEnd(LmdbBackend backend, String context) {
    List<JournalEntry> found = read(backend);
    int trimmed = state.journal.size() - found.size();
    assertThat(trimmed).as(context).isNotNegative();
    assertThat(found).as(context).isEqualTo(state.journal.subList(trimmed, state.journal.size()));
    CsnVector floor = CsnVector.EMPTY;
    for (JournalEntry entry : state.journal.subList(0, trimmed)) {
      floor = floor.with(entry.csn());
    }
    assertThat(floor(backend)).as(context).isEqualTo(floor);
  }
}
