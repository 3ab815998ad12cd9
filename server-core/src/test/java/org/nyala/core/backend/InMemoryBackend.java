package org.nyala.core.backend;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryRecordWriter;
import org.nyala.core.entry.EntryView;
import org.nyala.core.schema.ByteAppender;
import org.nyala.core.schema.Schema;
import org.nyala.core.search.FilterMatcher;
import org.nyala.core.search.Ternary;

/**
 * A store in memory that looks at every entry: what other stores are compared with. Thread-safe.
 *
 * <p>Entry ids are 1, 2, 3… in the order in which entries are given.
 */
public final class InMemoryBackend implements Backend {
  private record Stored(long id, long parentId, ByteBuffer record, byte[] parentDn) {}

  private final Schema schema;
  private final boolean exact;
  private final List<Stored> entries = new ArrayList<>();
  private final Map<Dn, Long> ids = new HashMap<>();
  private final List<Dn> namingContexts = new ArrayList<>();
  private final AtomicInteger openReads = new AtomicInteger();
  private AttributeTable table = AttributeTable.EMPTY;

  /** Holds the given entries, parents before children; cursors leave the filter to be tested. */
  public InMemoryBackend(Schema schema, List<Entry> entries) {
    this(schema, entries, false);
  }

  /** Holds the given entries; with {@code exact}, cursors test the filter themselves. */
  public InMemoryBackend(Schema schema, List<Entry> entries, boolean exact) {
    this.schema = schema;
    this.exact = exact;
    entries.forEach(this::store);
  }

  private void store(Entry entry) {
    long parentId = ids.getOrDefault(entry.dn().parent(), 0L);
    long id = entries.size() + 1L;
    boolean top = parentId == 0;
    if (top) {
      namingContexts.add(entry.dn());
    }
    byte[] rdn = top ? entry.dn().raw() : entry.dn().rdn(0);
    EntryRecordWriter writer = new EntryRecordWriter().begin(parentId, rdn, flags(entry));
    for (AttributeDescription description : entry.descriptions()) {
      if (table.id(description) == AttributeTable.ABSENT) {
        table = table.with(description);
      }
      writer.attribute(
          table.id(description),
          description.nameBytes(),
          description.type().isOperational(),
          AccessPolicy.isHiddenFromAll(description.type()),
          entry.values(description));
    }
    ByteAppender record = new ByteAppender(1024);
    writer.finish(record);
    byte[] parentDn = top ? new byte[0] : entry.dn().parent().raw();
    entries.add(new Stored(id, parentId, ByteBuffer.wrap(record.toByteArray()), parentDn));
    ids.put(entry.dn(), id);
  }

  /** The flags of {@link EntryRecord} that the object classes of an entry call for. */
  public static int flags(Entry entry) {
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

  /** How many reads were begun and not closed. */
  public int openReads() {
    return openReads.get();
  }

  @Override
  public List<Dn> namingContexts() {
    return List.copyOf(namingContexts);
  }

  @Override
  public ReadTransaction beginRead() {
    openReads.incrementAndGet();
    return new Read();
  }

  @Override
  public WriteTransaction beginWrite() {
    throw new StoreUnavailableException("the store in memory cannot be changed", null);
  }

  @Override
  public void close() {
    if (openReads.get() != 0) {
      throw new IllegalStateException(openReads + " reads are open");
    }
  }

  private final class Read implements ReadTransaction {
    private final Thread owner = Thread.currentThread();
    private boolean open = true;

    private void check() {
      if (!open || Thread.currentThread() != owner) {
        throw new IllegalStateException("a read is used after its end, or by another thread");
      }
    }

    @Override
    public AttributeTable attributes() {
      check();
      return table;
    }

    @Override
    public long find(Dn dn) {
      check();
      return ids.getOrDefault(dn, NO_ENTRY);
    }

    @Override
    public int distanceToNearest(Dn dn) {
      check();
      for (int i = 0; i < dn.rdnCount(); i++) {
        if (ids.containsKey(dn.ancestor(i))) {
          return i;
        }
      }
      return -1;
    }

    @Override
    public boolean read(long entryId, EntryView view) {
      check();
      if (entryId < 1 || entryId > entries.size()) {
        return false;
      }
      Stored stored = entries.get((int) entryId - 1);
      view.wrap(stored.id, stored.record.duplicate(), 0, stored.parentDn);
      return true;
    }

    @Override
    public boolean hasSubordinates(long entryId) {
      check();
      return entries.stream().anyMatch(stored -> stored.parentId == entryId);
    }

    @Override
    public EntryCursor search(SearchSpec spec, long afterEntryId) {
      check();
      return new Cursor(this, spec, afterEntryId);
    }

    @Override
    public void close() {
      if (open) {
        check();
        open = false;
        openReads.decrementAndGet();
      }
    }
  }

  private final class Cursor implements EntryCursor {
    private final Read read;
    private final SearchSpec spec;
    private long position;
    private long examined;

    Cursor(Read read, SearchSpec spec, long afterEntryId) {
      this.read = read;
      this.spec = spec;
      this.position = afterEntryId;
    }

    @Override
    public Step next(EntryView view, int examineLimit) {
      read.check();
      if (examineLimit < 1) {
        throw new IllegalArgumentException("examineLimit " + examineLimit);
      }
      for (int i = 0; i < examineLimit; i++) {
        if (position >= entries.size()) {
          return Step.END;
        }
        position++;
        examined++;
        Stored stored = entries.get((int) position - 1);
        read.read(stored.id, view);
        if (isInScope(stored) && isWanted(view)) {
          return Step.ENTRY;
        }
      }
      return Step.LIMIT;
    }

    private boolean isWanted(EntryView view) {
      boolean referral = spec.withReferrals() && (view.flags() & EntryRecord.REFERRAL) != 0;
      boolean alias = spec.withAliases() && (view.flags() & EntryRecord.ALIAS) != 0;
      return !exact
          || referral
          || alias
          || new FilterMatcher(schema, _ -> true)
                  .match(spec.filter(), view, table, read::hasSubordinates)
              == Ternary.TRUE;
    }

    private boolean isInScope(Stored stored) {
      boolean isBase = stored.id == spec.baseId();
      return switch (spec.scope()) {
        case BASE -> isBase;
        case ONE_LEVEL -> stored.parentId == spec.baseId();
        case SUBTREE -> isBase || isBelow(stored);
        case SUBORDINATE -> isBelow(stored);
      };
    }

    private boolean isBelow(Stored stored) {
      for (long id = stored.parentId; id != 0; id = entries.get((int) id - 1).parentId) {
        if (id == spec.baseId()) {
          return true;
        }
      }
      return false;
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public long examined() {
      return examined;
    }

    @Override
    public boolean isExact() {
      return exact;
    }

    @Override
    public void close() {
      read.check();
    }
  }
}
