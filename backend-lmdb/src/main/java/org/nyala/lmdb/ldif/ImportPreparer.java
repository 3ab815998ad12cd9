package org.nyala.lmdb.ldif;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.dn.NamingValue;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryRecordWriter;
import org.nyala.core.entry.EntryVerdicts;
import org.nyala.core.ldif.LdifLimits;
import org.nyala.core.ldif.LdifParser;
import org.nyala.core.ldif.LdifRecord;
import org.nyala.core.password.UnverifiableHash;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.LargeThresholds;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.ImportNameHash;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.lmdb.rejection.UndefinedNameSearch;
import org.nyala.lmdb.write.IndexValues;

/**
 * Turns text into entries that are ready to be stored, except for the parts that depend on the
 * entries before them: ids, the parent's existence, duplicate names.
 *
 * <p>Confined to one running operation: each preparing thread has its own. Hot.
 */
final class ImportPreparer {
  private static final int MAXIMUM_CLASS_SETS = 4096;

  private final Schema schema;
  private final LdifLimits limits;
  private final ImportAttributes attributes;
  private final EntryBounds bounds;
  private final ImportGenerator generator;
  private final SplittableRandom random;
  private final AttributeSlots slots;
  private final ImportValueChecks checks;
  private final ImportNamer namer;
  private final ImportNaming naming;
  private final ImportLargeValues large;
  private final IndexValues indexValues = new IndexValues();
  private final EntryRecordWriter writer = new EntryRecordWriter();
  private final LdifRecord record = new LdifRecord();
  private final Map<String, ImportClassSet> classSets = new HashMap<>();
  private final StringBuilder classKey = new StringBuilder();
  private final AttributeSlots.Slot objectClass;
  private final AttributeSlots.Slot structuralObjectClass;
  private final AttributeSlots.Slot entryUuid;
  private final ImportCsns csns;
  private final UndefinedNameSearch undefined;
  private final AttributeSlots.Slot[] times;
  private final AttributeSlots.Slot[] writers;
  private Path directory = Path.of("");
  private LdifParser parser;
  private long errorLine;

  /** The objects that all preparers of an import share. */
  record Shared(
      Schema schema,
      LdifLimits limits,
      ImportAttributes attributes,
      ImportSuffixes suffixes,
      EntryBounds bounds,
      ImportGenerator generator,
      LargeThresholds thresholds,
      long highSeed,
      long lowSeed) {
    /** Returns a parser of names for one thread. */
    ImportNamer namer() {
      return new ImportNamer(schema, suffixes, bounds, nameHash());
    }

    /** Returns a computation of the hashes by which the import tells names apart. */
    ImportNameHash nameHash() {
      return new ImportNameHash(highSeed, lowSeed);
    }
  }

  ImportPreparer(Shared shared) {
    this.schema = shared.schema;
    this.limits = shared.limits;
    this.attributes = shared.attributes;
    this.bounds = shared.bounds;
    this.generator = shared.generator;
    this.random = generator.random();
    this.slots = new AttributeSlots(shared.attributes);
    this.checks = new ImportValueChecks(slots, shared.bounds.valuesPerAttribute());
    this.naming = new ImportNaming(schema, slots, checks);
    this.large = new ImportLargeValues(slots, shared.thresholds);
    this.namer = shared.namer();
    this.parser = new LdifParser(limits, directory);
    this.objectClass = slot(shared.attributes, "objectClass");
    this.structuralObjectClass = slot(shared.attributes, "structuralObjectClass");
    this.entryUuid = slot(shared.attributes, "entryUUID");
    this.undefined = new UndefinedNameSearch(schema, objectClass.attribute.type);
    this.csns = new ImportCsns(slots, slot(shared.attributes, "entryCSN"), generator);
    this.times =
        new AttributeSlots.Slot[] {
          slot(shared.attributes, "createTimestamp"), slot(shared.attributes, "modifyTimestamp")
        };
    this.writers =
        new AttributeSlots.Slot[] {
          slot(shared.attributes, "creatorsName"), slot(shared.attributes, "modifiersName")
        };
  }

  private AttributeSlots.Slot slot(ImportAttributes attributes, String name) {
    ImportAttribute attribute = attributes.byName(name);
    if (attribute == null) {
      throw new StoreException("the schema does not define " + name + ", which every entry has");
    }
    return slots.of(attribute);
  }

  /** Fills the batch with the contents of its chunk. */
  void prepare(ImportBatch batch) {
    batch.clear();
    if (!batch.directory.equals(directory)) {
      directory = batch.directory;
      parser = new LdifParser(limits, directory);
    }
    parser.start(batch.chunk);
    while (parser.next(record)) {
      ImportBatch.Row row = batch.add();
      row.sourceStart = record.sourceStart();
      row.sourceEnd = record.sourceEnd();
      row.line = record.line();
      errorLine = record.line();
      int recordMark = batch.records.length();
      int keysMark = batch.keys.length();
      int valuesMark = batch.values.length();
      String error = record.error();
      if (error == null) {
        error = prepare(batch, row);
        if (error == null) {
          error =
              EntryBounds.problem(
                  bounds.sizes(), batch.records.length() - recordMark, large.octets());
        }
      } else {
        errorLine = record.errorLine();
      }
      if (error != null) {
        row.error = error;
        if (record.error() == null) {
          undefined.find(record, row.undefined);
        }
        row.line = errorLine;
        batch.records.truncate(recordMark);
        batch.keys.truncate(keysMark);
        batch.values.truncate(valuesMark);
      }
      row.recordStart = recordMark;
      row.recordEnd = batch.records.length();
      row.keysStart = keysMark;
      row.keysEnd = batch.keys.length();
      row.valuesStart = valuesMark;
      row.valuesEnd = batch.values.length();
    }
  }

  private @Nullable String prepare(ImportBatch batch, ImportBatch.Row row) {
    String error = namer.parse(record.dnBytes(), row);
    if (error != null) {
      return error;
    }
    error = collect();
    if (error != null) {
      return error;
    }
    errorLine = record.line();
    ImportClassSet classes = null; // Faults of values come first, as in add.
    if (slots.isPresent(objectClass)) {
      classes = classSet();
      spellClasses(classes);
    }
    error = checkValues();
    if (error == null) {
      error = classes == null ? "the entry has no objectClass" : check(classes);
    }
    if (error == null && classes != null) {
      addOperational(row, classes);
      write(batch, row, classes);
    }
    return error;
  }

  /** Sorts the record's lines by attribute. */
  private @Nullable String collect() {
    slots.clear();
    int size = record.size();
    for (int i = 0; i < size; i++) {
      byte[] name = record.nameBytes(i);
      AttributeSlots.Slot slot = slots.find(name, record.nameStart(i), record.nameLength(i));
      if (slot == null) {
        errorLine = record.line(i);
        String text =
            new String(name, record.nameStart(i), record.nameLength(i), StandardCharsets.UTF_8);
        return attributes.refusal(text);
      }
      slots.add(
          slot, record.valueBytes(i), record.valueStart(i), record.valueLength(i), record.line(i));
    }
    return null;
  }

  private ImportClassSet classSet() {
    classKey.setLength(0);
    for (int value = objectClass.first(); value >= 0; value = slots.next(value)) {
      byte[] source = slots.source(value);
      int end = slots.start(value) + slots.length(value);
      for (int i = slots.start(value); i < end; i++) {
        classKey.append((char) (source[i] & 0xff));
      }
      classKey.append('\n');
    }
    String key = classKey.toString();
    ImportClassSet known = classSets.get(key);
    if (known != null) {
      return known;
    }
    List<byte[]> values = new ArrayList<>();
    for (int value = objectClass.first(); value >= 0; value = slots.next(value)) {
      int start = slots.start(value);
      values.add(Arrays.copyOfRange(slots.source(value), start, start + slots.length(value)));
    }
    ImportClassSet classes = new ImportClassSet(schema, values);
    if (classSets.size() == MAXIMUM_CLASS_SETS) {
      classSets.clear();
    }
    classSets.put(key, classes);
    return classes;
  }

  private void spellClasses(ImportClassSet classes) {
    List<byte[]> spelled = classes.spelled();
    int index = 0;
    for (int value = objectClass.first(); value >= 0; value = slots.next(value)) {
      slots.replace(value, spelled.get(index++));
    }
  }

  private void addOperational(ImportBatch.Row row, ImportClassSet classes) {
    addIfAbsent(structuralObjectClass, classes.structuralName());
    if (!slots.isPresent(entryUuid)) {
      addIfAbsent(entryUuid, ImportGenerator.uuid(random));
    }
    csns.complete(row);
    for (AttributeSlots.Slot time : times) {
      addIfAbsent(time, generator.time());
    }
    for (AttributeSlots.Slot by : writers) {
      addIfAbsent(by, generator.writer());
    }
  }

  private void addIfAbsent(AttributeSlots.Slot slot, byte[] value) {
    if (!slots.isPresent(slot)) {
      slots.add(slot, value, 0, value.length, 0);
    }
  }

  private @Nullable String checkValues() {
    for (int i = 0; i < slots.size(); i++) {
      String error = checks.check(slots.slot(i));
      if (error != null) {
        errorLine = checks.errorLine();
        return error;
      }
    }
    return null;
  }

  /** Adds the values of the RDN that the entry lacks, and checks the entry as a whole. */
  private @Nullable String check(ImportClassSet classes) {
    String error = classes.error();
    if (error == null) {
      error = naming.complete(namer.name(), record.line());
    }
    if (error == null) {
      error = checkAttributes(classes);
    }
    return error == null ? naming.form(classes) : error;
  }

  private @Nullable String checkAttributes(ImportClassSet classes) {
    for (AttributeType type : classes.must()) {
      if (!slots.isTypePresent(type)) {
        return classes.missing(slots::isTypePresent);
      }
    }
    for (int i = 0; i < slots.size(); i++) {
      AttributeSlots.Slot slot = slots.slot(i);
      if (!classes.allows(slot.attribute)) {
        errorLine = slots.line(slot.first());
        return classes.refusal(slot.attribute);
      }
    }
    return null;
  }

  private void write(ImportBatch batch, ImportBatch.Row row, ImportClassSet classes) {
    Dn name = namer.name();
    int flags = classes.flags() | (large.select() ? EntryRecord.LARGE : 0);
    writer.begin(0, row.isTop ? name.raw() : name.rdn(0), flags);
    row.uuid = first(entryUuid);
    indexValues.emitFlags(flags, batch);
    for (int i = 0; i < slots.size(); i++) {
      AttributeSlots.Slot slot = slots.slot(i);
      ImportAttribute attribute = slot.attribute;
      if (attribute.isContextCsn) {
        csns.takeAll(slot, row);
        continue;
      }
      if (attribute.isPassword) {
        notePasswords(slot, row);
      }
      writer.beginAttribute();
      if (!large.isSelected(slot)) {
        for (int value = slot.first(); value >= 0; value = slots.next(value)) {
          writer.value(slots.source(value), slots.start(value), slots.length(value));
        }
      }
      writer.endAttribute(
          attribute.id, attribute.name, attribute.isOperational, attribute.isStoredLast);
      for (IndexKind kind : attribute.kinds) {
        index(slot, kind, batch);
      }
    }
    writer.finish(batch.records);
    large.write(batch.values);
  }

  private void notePasswords(AttributeSlots.Slot passwords, ImportBatch.Row row) {
    for (int value = passwords.first(); value >= 0; value = slots.next(value)) {
      int start = slots.start(value);
      byte[] stored = Arrays.copyOfRange(slots.source(value), start, start + slots.length(value));
      String excess = bounds.hashes().excess(stored);
      String unusable = excess == null ? UnverifiableHash.scheme(stored) : null;
      if (unusable != null) {
        row.unusableSchemes.add(unusable);
        row.unusableName = new String(record.dnBytes(), StandardCharsets.UTF_8);
      }
      if (excess != null && row.costlyPasswords++ == 0) {
        row.costlyLine = slots.line(value);
        row.costlyExcess = excess;
      }
    }
  }

  private byte[] first(AttributeSlots.Slot slot) {
    int start = slots.start(slot.first());
    return Arrays.copyOfRange(
        slots.source(slot.first()), start, start + slots.length(slot.first()));
  }

  private void index(AttributeSlots.Slot slot, IndexKind kind, ImportBatch batch) {
    ImportAttribute attribute = slot.attribute;
    if (kind == IndexKind.PRESENCE) {
      indexValues.emitPresence(attribute.plainId, batch);
      return;
    }
    for (int value = slot.first(); value >= 0; value = slots.next(value)) {
      indexValues.emit(
          attribute.plainId,
          attribute.type,
          kind,
          slots.source(value),
          slots.start(value),
          slots.length(value),
          batch);
    }
  }

  /**
   * The change sequence numbers of entries of an import. One whose time does not exist, or is far
   * ahead of the clock, counts as missing: an entry gets a new one instead, and the naming context
   * goes without it, because all later changes would have to come after it.
   *
   * <p>Confined to one running operation: each preparing thread has its own. Hot.
   */
  private static final class ImportCsns {
    private final AttributeSlots slots;
    private final AttributeSlots.Slot entryCsn;
    private final ImportGenerator generator;
    private final Instant now;

    ImportCsns(AttributeSlots slots, AttributeSlots.Slot entryCsn, ImportGenerator generator) {
      this.slots = slots;
      this.entryCsn = entryCsn;
      this.generator = generator;
      this.now = generator.start();
    }

    /** Takes the number of the entry, after giving it one if it has none that can be used. */
    void complete(ImportBatch.Row row) {
      if (!slots.isPresent(entryCsn)) {
        byte[] missing = generator.nextCsn();
        slots.add(entryCsn, missing, 0, missing.length, 0);
      }
      int value = entryCsn.first();
      if (!take(value, row)) {
        slots.replace(value, generator.nextCsn());
        take(value, row);
      }
    }

    /** Takes the numbers that the entry has of its naming context. */
    void takeAll(AttributeSlots.Slot contextCsn, ImportBatch.Row row) {
      for (int value = contextCsn.first(); value >= 0; value = slots.next(value)) {
        take(value, row);
      }
    }

    private boolean take(int value, ImportBatch.Row row) {
      Csn csn = Csn.parse(slots.source(value), slots.start(value), slots.length(value));
      if (csn != null && !csn.isFarAhead(now)) {
        row.csns.add(csn);
        return true;
      }
      if (row.badCsns++ == 0) {
        row.badCsnLine = slots.line(value);
      }
      return false;
    }
  }

  /**
   * The naming attributes of the entry that is being prepared.
   *
   * <p>Confined to one running operation.
   */
  private static final class ImportNaming {
    private final Schema schema;
    private final AttributeSlots slots;
    private final ImportValueChecks checks;
    private List<NamingValue> rdn = List.of();

    ImportNaming(Schema schema, AttributeSlots slots, ImportValueChecks checks) {
      this.schema = schema;
      this.slots = slots;
      this.checks = checks;
    }

    /**
     * Checks the attributes of the RDN, and adds the values that the entry lacks, as add does.
     *
     * @param name the name of the entry, or its RDN alone
     * @param line the line of the name
     * @return the fault of the name, or null
     */
    @Nullable String complete(Dn name, long line) {
      try {
        rdn = DnParser.namingValues(schema, name.rdn(0));
      } catch (InvalidDnException e) {
        return "invalid DN: " + e.getMessage();
      }
      for (NamingValue each : rdn) {
        String error = EntryVerdicts.naming(each.type(), true);
        if (error != null) {
          return error;
        }
      }
      for (NamingValue each : rdn) {
        String error = complete(each, line);
        if (error != null) {
          return error;
        }
      }
      return null;
    }

    private @Nullable String complete(NamingValue naming, long line) {
      AttributeSlots.Slot slot = slots.ofType(naming.type());
      boolean isPresent = slots.isPresent(slot);
      if (isPresent && checks.contains(slot, naming.value())) {
        return null;
      }
      if (isPresent && slot.attribute.isSingleValued) {
        return EntryVerdicts.namingConflict(naming.type(), naming.value());
      }
      slots.add(slot, naming.value(), 0, naming.value().length, line);
      return isPresent ? checks.checkCount(slot) : null;
    }

    /** Returns the reason why no entry of the classes has the name that was completed last. */
    @Nullable String form(ImportClassSet classes) {
      return classes.refusal(rdn);
    }
  }
}
