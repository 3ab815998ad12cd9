package org.nyala.core.backend;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryRecordWriter;
import org.nyala.core.entry.EntryView;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;

/**
 * The contents of a store in memory, changed in the simplest way, and checked: a change whose
 * preconditions do not hold is a failure. Confined to one thread while it changes.
 */
final class InMemoryState {
  private record Stored(long id, long parentId, Entry entry, ByteBuffer record, byte[] parentDn) {}

  private final Schema schema;
  private final TreeMap<Long, Stored> stored = new TreeMap<>();
  private final Map<Dn, Long> ids = new HashMap<>();
  private AttributeTable table = AttributeTable.EMPTY;
  private final Map<Dn, CsnVector> contextCsns = new HashMap<>();
  private final List<JournalEntry> journal = new ArrayList<>();
  private final List<Dn> contexts = new ArrayList<>();
  private CsnVector floor = CsnVector.EMPTY;
  private final Map<Dn, Promotion> promotions = new HashMap<>();
  private final Map<Dn, ContextHistory> histories = new HashMap<>();
  private final Map<Dn, ContextEpochs> epochs = new HashMap<>();
  private final Map<Dn, CopySource> sources = new HashMap<>();
  private LogMark mark;
  private long nextSequence = 1;
  private long nextId = 1;
  private long number;

  InMemoryState(Schema schema) {
    this.schema = schema;
  }

  /** Copies another state. */
  InMemoryState(InMemoryState other) {
    this(other.schema);
    stored.putAll(other.stored);
    ids.putAll(other.ids);
    table = other.table;
    contextCsns.putAll(other.contextCsns);
    journal.addAll(other.journal);
    contexts.addAll(other.contexts);
    floor = other.floor;
    promotions.putAll(other.promotions);
    histories.putAll(other.histories);
    epochs.putAll(other.epochs);
    sources.putAll(other.sources);
    mark = other.mark;
    nextSequence = other.nextSequence;
    nextId = other.nextId;
    number = other.number + 1;
  }

  /**
   * Returns the number of the copy: a later copy of the same state, or of a later one, has a larger
   * number.
   */
  long number() {
    return number;
  }

  /** Returns the names of the entries whose parents are not among them. */
  static List<Dn> tops(List<Entry> entries) {
    Set<Dn> names = new HashSet<>();
    List<Dn> tops = new ArrayList<>();
    for (Entry entry : entries) {
      if (!names.contains(entry.dn().parent())) {
        tops.add(entry.dn());
      }
      names.add(entry.dn());
    }
    return tops;
  }

  AttributeTable table() {
    return table;
  }

  List<Entry> entries() {
    return stored.values().stream().map(Stored::entry).toList();
  }

  long find(Dn dn) {
    return ids.getOrDefault(dn, ReadTransaction.NO_ENTRY);
  }

  boolean read(long id, EntryView view) {
    Stored found = stored.get(id);
    if (found == null) {
      return false;
    }
    view.wrap(id, found.record.duplicate(), 0, found.parentDn);
    return true;
  }

  /** Returns the entry id after {@code id}, or {@link ReadTransaction#NO_ENTRY}. */
  long next(long id) {
    Long next = stored.higherKey(id);
    return next == null ? ReadTransaction.NO_ENTRY : next;
  }

  long parentId(long id) {
    return get(id).parentId;
  }

  long subordinateCount(long id) {
    return stored.values().stream().filter(each -> each.parentId == id).count();
  }

  CsnVector largestCsns() {
    CsnVector all = CsnVector.EMPTY;
    for (CsnVector each : contextCsns.values()) {
      all = all.with(each);
    }
    return all;
  }

  CsnVector contextCsns(long topId) {
    Stored top = stored.get(topId);
    return top == null
        ? CsnVector.EMPTY
        : contextCsns.getOrDefault(top.entry.dn(), CsnVector.EMPTY);
  }

  long apply(ResolvedChange change, Csn csn) {
    Dn top = top(change.dn());
    Dn begun = top == null ? change.dn() : top;
    if (!histories.containsKey(begun)) {
      note(begun, ContextHistory.begun(contextCsns.getOrDefault(begun, CsnVector.EMPTY)));
    }
    note(change.dn(), csn);
    UUID uuid = change instanceof ResolvedChange.Delete ? uuid(find(change.dn())) : null;
    long id = apply(change);
    if (change instanceof ResolvedChange.Add add) {
      note(add.dn(), csn);
    }
    boolean moves = change instanceof ResolvedChange.Rename && subordinateCount(id) > 0;
    journal.add(
        new JournalEntry(
            nextSequence++,
            JournalEntry.Kind.of(change),
            moves,
            context(change.dn()),
            csn,
            uuid == null ? uuid(id) : uuid,
            id));
    return id;
  }

  private UUID uuid(long id) {
    Entry entry = get(id).entry;
    for (AttributeDescription description : entry.descriptions()) {
      if (description.type().oid().equals("1.3.6.1.1.16.4")) {
        byte[] text = entry.values(description).getFirst();
        return UUID.fromString(new String(text, StandardCharsets.US_ASCII));
      }
    }
    return new UUID(0, 0);
  }

  /** Returns the number of the naming context of a name. */
  private synchronized int context(Dn name) {
    for (int i = 0; i < contexts.size(); i++) {
      if (name.isWithin(contexts.get(i))) {
        return i;
      }
    }
    Dn top = top(name);
    contexts.add(top == null ? name : top);
    return contexts.size() - 1;
  }

  /** Returns the journal as the naming context of a name sees it. */
  ChangeJournal journal(Dn name) {
    int context = context(name);
    Dn top = top(name);
    CsnVector present =
        top == null ? CsnVector.EMPTY : contextCsns.getOrDefault(top, CsnVector.EMPTY);
    return new InMemoryJournal(context, present, floor, List.copyOf(journal));
  }

  /** Deletes the oldest changes of the journal, but for some. */
  void trim(int kept) {
    while (journal.size() > kept) {
      floor = floor.with(journal.removeFirst().csn());
    }
  }

  /** Makes a change one of the naming context of a name: of the topmost entry above it. */
  void note(Dn name, Csn csn) {
    Dn top = top(name);
    if (top != null) {
      contextCsns.merge(top, CsnVector.EMPTY.with(csn), CsnVector::with);
    }
  }

  /** Makes changes those of the naming context of a name; the journal no longer tells of them. */
  void raise(Dn name, CsnVector csns) {
    csns.csns().forEach(csn -> note(name, csn));
    floor = floor.with(csns);
  }

  void note(Dn suffix, Promotion promotion) {
    promotions.put(suffix, promotion);
  }

  Promotion promotion(Dn suffix) {
    return promotions.get(suffix);
  }

  void note(Dn suffix, ContextHistory history) {
    histories.put(suffix, history);
  }

  ContextHistory history(Dn suffix) {
    return histories.get(suffix);
  }

  void note(Dn suffix, ContextEpochs known) {
    epochs.put(suffix, known);
  }

  ContextEpochs epochs(Dn suffix) {
    return epochs.getOrDefault(suffix, ContextEpochs.NONE);
  }

  void noteSource(Dn suffix, CopySource source) {
    sources.put(suffix, source);
  }

  CopySource source(Dn suffix) {
    return sources.get(suffix);
  }

  void note(LogMark applied) {
    mark = applied;
  }

  LogMark mark() {
    return mark;
  }

  long nextId() {
    return nextId;
  }

  /** Begins other histories, as after a restore. */
  void renewHistories(Instant now) {
    contextCsns.forEach(
        (top, present) ->
            histories.put(top, ContextHistory.restored(histories.get(top), present, now)));
  }

  /** Makes changes the only ones of the naming context of a name. */
  void replace(Dn name, CsnVector csns) {
    Dn top = top(name);
    if (top != null) {
      floor = floor.with(contextCsns.getOrDefault(top, CsnVector.EMPTY)).with(csns);
      contextCsns.put(top, csns);
    }
  }

  /** Returns the topmost entry above a name; null if there is none. */
  private Dn top(Dn name) {
    Dn top = null;
    for (int i = 0; i < name.rdnCount(); i++) {
      top = ids.containsKey(name.ancestor(i)) ? name.ancestor(i) : top;
    }
    return top;
  }

  long apply(ResolvedChange change) {
    return switch (change) {
      case ResolvedChange.Add add -> add(add.entry());
      case ResolvedChange.Delete delete -> delete(delete);
      case ResolvedChange.Modify modify -> {
        require(find(modify.dn()) == modify.entryId(), change);
        put(modify.entryId(), changed(get(modify.entryId()).entry, modify.dn(), modify.changes()));
        yield modify.entryId();
      }
      case ResolvedChange.Rename rename -> rename(rename);
    };
  }

  private static void require(boolean condition, Object change) {
    if (!condition) {
      throw new IllegalStateException("cannot be applied: " + change);
    }
  }

  private Stored get(long id) {
    Stored found = stored.get(id);
    require(found != null, id);
    return found;
  }

  long add(Entry entry) {
    require(!ids.containsKey(entry.dn()), entry.dn());
    long id = nextId++;
    put(id, entry);
    return id;
  }

  private long delete(ResolvedChange.Delete delete) {
    long id = delete.entryId();
    require(find(delete.dn()) == id && subordinateCount(id) == 0, delete);
    ids.remove(delete.dn());
    stored.remove(id);
    return id;
  }

  private long rename(ResolvedChange.Rename rename) {
    long id = rename.entryId();
    Dn before = rename.dn();
    long there = find(rename.newDn());
    require(find(before) == id && (there == id || there == ReadTransaction.NO_ENTRY), rename);
    boolean hasParent = ids.containsKey(rename.newDn().parent());
    require(hasParent && !rename.newDn().parent().isWithin(before), rename);
    List<Stored> moved = new ArrayList<>();
    for (Stored each : stored.values()) {
      if (each.entry.dn().isWithin(before)) {
        moved.add(each);
      }
    }
    moved.forEach(each -> ids.remove(each.entry.dn()));
    moved.sort((one, other) -> one.entry.dn().rdnCount() - other.entry.dn().rdnCount());
    for (Stored each : moved) {
      Dn name = moved(each.entry.dn(), before, rename.newDn());
      put(each.id, changed(each.entry, name, each.id == id ? rename.changes() : List.of()));
    }
    return id;
  }

  private Dn moved(Dn name, Dn before, Dn after) {
    Dn moved = after;
    for (int i = name.rdnCount() - before.rdnCount() - 1; i >= 0; i--) {
      moved = parse(name.rdn(i)).under(moved);
    }
    return moved;
  }

  private Dn parse(byte[] rdn) {
    try {
      return DnParser.parse(schema, new String(rdn, StandardCharsets.UTF_8));
    } catch (InvalidDnException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Entry changed(Entry entry, Dn name, List<AttributeChange> changes) {
    Entry changed = new Entry(name);
    for (AttributeDescription description : entry.descriptions()) {
      entry.values(description).forEach(value -> changed.add(description, value));
    }
    for (AttributeChange change : changes) {
      List<byte[]> before = changed.remove(change.description());
      values(change, before == null ? List.of() : before)
          .forEach(value -> changed.add(change.description(), value));
    }
    return changed;
  }

  private static List<byte[]> values(AttributeChange change, List<byte[]> before) {
    return switch (change) {
      case AttributeChange.Replaced replaced -> replaced.values();
      case AttributeChange.Updated updated -> {
        List<byte[]> values = new ArrayList<>(before);
        for (byte[] gone : updated.removed()) {
          require(values.removeIf(value -> isSame(change.description(), value, gone)), change);
        }
        for (byte[] more : updated.added()) {
          require(
              values.stream().noneMatch(value -> isSame(change.description(), value, more)),
              change);
          values.add(more);
        }
        yield values;
      }
    };
  }

  /** Returns whether two values are equal by the attribute's equality rule. */
  static boolean isSame(AttributeDescription description, byte[] one, byte[] other) {
    return ByteBuffer.wrap(normal(description, one))
        .equals(ByteBuffer.wrap(normal(description, other)));
  }

  private static byte[] normal(AttributeDescription description, byte[] value) {
    MatchingRule rule = description.type().equality();
    ByteAppender normal = new ByteAppender(value.length + 8);
    boolean valid =
        rule != null && rule.valueNormalizer().normalize(value, 0, value.length, normal);
    return valid ? normal.toByteArray() : value;
  }

  private void put(long id, Entry entry) {
    Dn parent = entry.dn().parent();
    long parentId = ids.getOrDefault(parent, 0L);
    boolean top = parentId == 0 || entry.dn().rdnCount() == 0;
    byte[] rdn = top ? entry.dn().raw() : entry.dn().rdn(0);
    EntryRecordWriter writer = new EntryRecordWriter().begin(top ? 0 : parentId, rdn, flags(entry));
    for (AttributeDescription description : entry.descriptions()) {
      if (table.id(description) == AttributeTable.ABSENT) {
        table = table.with(description);
      }
      writer.attribute(
          table.id(description),
          description.nameBytes(),
          description.type().isOperational(),
          SecretTypes.isStoredLast(description.type()),
          entry.values(description));
    }
    ByteAppender record = new ByteAppender(1024);
    writer.finish(record);
    byte[] parentDn = top ? new byte[0] : get(parentId).entry.dn().raw();
    stored.put(
        id,
        new Stored(id, top ? 0 : parentId, entry, ByteBuffer.wrap(record.toByteArray()), parentDn));
    ids.put(entry.dn(), id);
  }

  /** Returns the flags of {@link EntryRecord} for the object classes of an entry. */
  static int flags(Entry entry) {
    int flags = 0;
    for (AttributeDescription description : entry.descriptions()) {
      if (description.type().oid().equals("2.5.4.0")) {
        for (byte[] value : entry.values(description)) {
          flags |=
              switch (new String(value, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT)) {
                case "referral" -> EntryRecord.REFERRAL;
                case "alias" -> EntryRecord.ALIAS;
                case "subentry" -> EntryRecord.SUBENTRY;
                default -> 0;
              };
        }
      }
    }
    return flags;
  }
}
