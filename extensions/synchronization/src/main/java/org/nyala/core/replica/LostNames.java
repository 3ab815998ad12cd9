package org.nyala.core.replica;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryUuid;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.Schema;

/**
 * The entries of a copy that have lost their names to others, and stand beside them as {@code
 * entryUUID=...}, and the placeholders of entries that have not come; from one synchronization to
 * the next. After a start of the server they are found by a scan.
 *
 * <p>Thread-safe.
 */
final class LostNames {
  private static final String ENTRY_UUID = "entryUUID=";

  /** The entries that are remembered; if there are more, a scan finds them. */
  private static final int MOST = 1 << 16;

  /** The entries, with the RDNs that they had if these are known. */
  private final Map<UUID, Optional<Dn>> lost = new LinkedHashMap<>();

  /** Those of them that had lost their names before this synchronization. */
  private final Set<UUID> earlier = new HashSet<>();

  private final EntryIds placeholders = new EntryIds();
  private boolean isIncomplete = true;

  /** Returns the name that an entry gets instead of one that it has lost. */
  static Dn nameOf(Schema schema, UUID entryUuid, Dn parent) {
    byte[] rdn = (ENTRY_UUID + entryUuid).getBytes(StandardCharsets.UTF_8);
    return DnParser.parseStored(schema, rdn).under(parent);
  }

  /** Begins a synchronization; scans the naming context if these are not known. */
  void begin(Backend backend, Schema schema, Dn suffix) {
    complete(backend, schema, suffix);
    synchronized (this) {
      earlier.clear();
      earlier.addAll(lost.keySet());
    }
  }

  /** Forgets everything: it is not known what of it is on disk. A scan finds it. */
  synchronized void forget() {
    lost.clear();
    placeholders.clear();
    isIncomplete = true;
  }

  /** Finds the entries that are not known, if there are any. */
  void complete(Backend backend, Schema schema, Dn suffix) {
    synchronized (this) {
      if (!isIncomplete) {
        return;
      }
      isIncomplete = false;
    }
    EntryUuid uuids = new EntryUuid(schema);
    ContextWalk.over(backend, suffix, (transaction, entry) -> examine(uuids, transaction, entry));
  }

  private void examine(EntryUuid uuids, ReadTransaction transaction, EntryView entry) {
    uuids.take(entry, transaction.attributes());
    if (uuids.high() == 0 && uuids.low() == 0) {
      if (isPlaceholder(transaction, entry)) {
        placeholders.add(entry.id());
      }
      return;
    }
    if (entry.rdnLength() != ENTRY_UUID.length() + 36) {
      return;
    }
    byte[] rdn = new byte[entry.rdnLength()];
    entry.buffer().get(entry.rdnStart(), rdn);
    UUID uuid = new UUID(uuids.high(), uuids.low());
    if (new String(rdn, StandardCharsets.UTF_8).equalsIgnoreCase(ENTRY_UUID + uuid)) {
      add(uuid, null);
    }
  }

  /** Returns whether an entry without {@code entryUUID} has that class alone, and nothing else. */
  static boolean isPlaceholder(ReadTransaction transaction, EntryView entry) {
    if (entry.attributeCount() != 1) {
      return false;
    }
    AttributeDescription only = transaction.attributes().description(entry.attributeId(0));
    ValueCursor values = new ValueCursor();
    values.open(entry, 0);
    if (!only.name().equalsIgnoreCase("objectClass") || !values.next()) {
      return false;
    }
    return new String(values.value(), StandardCharsets.UTF_8)
            .equalsIgnoreCase(Placeholders.OBJECT_CLASS)
        && !values.next();
  }

  /**
   * Adds an entry.
   *
   * @param rdn the RDN that it had, as a name of its own; null if that is not known
   */
  synchronized void add(UUID entryUuid, @Nullable Dn rdn) {
    if (lost.size() < MOST) {
      lost.putIfAbsent(entryUuid, Optional.ofNullable(rdn));
    } else {
      isIncomplete = true;
    }
  }

  /** Removes an entry, which has a name again or is gone. */
  synchronized void remove(UUID entryUuid) {
    lost.remove(entryUuid);
  }

  synchronized List<UUID> entries() {
    return new ArrayList<>(lost.keySet());
  }

  /** Returns the RDN that an entry had; null if that is not known. */
  synchronized @Nullable Dn rdn(UUID entryUuid) {
    return lost.getOrDefault(entryUuid, Optional.empty()).orElse(null);
  }

  synchronized boolean isEmpty() {
    return lost.isEmpty() && !isIncomplete;
  }

  /** Returns whether there are entries that had lost their names before this synchronization. */
  synchronized boolean hasEarlier() {
    return lost.keySet().stream().anyMatch(earlier::contains);
  }

  EntryIds placeholders() {
    return placeholders;
  }

  @Override
  public synchronized String toString() {
    return lost.size() <= 10 ? lost.keySet().toString() : lost.size() + " entries";
  }
}
