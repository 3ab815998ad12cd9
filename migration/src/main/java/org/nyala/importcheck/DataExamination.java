package org.nyala.importcheck;

import static org.nyala.core.entry.QuotedText.quoted;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.config.ConfiguredExtension;
import org.nyala.config.NeededIndexes;
import org.nyala.config.NyalaConfig;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.bytes.PrintableText;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.ChangedEntry;
import org.nyala.core.message.Scope;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.UnverifiableHash;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.extension.Extension;
import org.nyala.extension.Hooks;
import org.nyala.integrity.DuplicateValues;
import org.nyala.integrity.UniquenessRule;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.lmdb.ldif.ImportExamination;
import org.nyala.lmdb.ldif.ImportResult;
import org.nyala.lmdb.rejection.UndefinedName;

/**
 * The examination of built data, entry by entry: what an import does not reject, and what its
 * administrator should know all the same.
 *
 * <p>Confined to one running operation. Its memory does not grow with the data, except for one bit
 * for each entry and the reasons for at most {@value #MOST_REFUSED} entries that are refused.
 */
public final class DataExamination implements ImportExamination {
  /** The most entries with values of others that can be left out. */
  static final int MOST_REFUSED = 100_000;

  private static final int REASON_CHARS = 600;

  private static final String LOCKED = "pwdAccountLockedTime";
  private static final String PASSWORD = "userPassword";
  private static final Pattern SCHEME = Pattern.compile("\\{([A-Za-z0-9-]{1,32})\\}");

  private final NyalaConfig configuration;
  private final Schema files;
  private final boolean refuses;
  private FindingCounts counts = new FindingCounts();
  private Map<PasswordScheme, Long> schemes = new EnumMap<>(PasswordScheme.class);
  private Set<String> newSchemes = Set.of();

  /**
   * Prepares the examination.
   *
   * @param files the schema of the files
   * @param definitions the same, with what clients have added
   * @param refuses true if entries with values of others are refused; false if they are reported
   * @throws ConfigurationException if the configuration has rules that cannot be tested
   */
  public DataExamination(
      NyalaConfig configuration, Schema files, ExtendedSchema definitions, boolean refuses) {
    this.configuration = configuration;
    this.files = files;
    this.refuses = refuses;
    // A mistake is to be found before the import, which may take an hour.
    List<UniquenessRule.Constraint> _ =
        NeededIndexes.rules(configuration, definitions.schema(), Optional.empty()).uniqueness();
    Set<AttributeType> _ =
        NeededIndexes.rules(configuration, definitions.schema(), Optional.empty()).references();
    new ExtensionExamination(configuration, definitions.schema(), Optional.empty()).close();
  }

  /** Reports passwords in some schemes, if they can be checked. */
  DataExamination notingSchemes(Set<String> schemes) {
    newSchemes = Set.copyOf(schemes);
    return this;
  }

  @Override
  public Map<Dn, String> examine(Path built) {
    counts = new FindingCounts();
    schemes = new EnumMap<>(PasswordScheme.class);
    try (LmdbBackend backend = LmdbBackend.open(built, files, configuration.store().asReadOnly());
        ReadTransaction read = backend.beginRead();
        ExtensionExamination extensions = examination(backend)) {
      return new Walk(backend, read, extensions).run();
    }
  }

  private ExtensionExamination examination(LmdbBackend backend) {
    return new ExtensionExamination(
        configuration, backend.extendedSchema().schema(), Optional.of(backend.indexes()));
  }

  /**
   * Returns the report about the data that was examined last.
   *
   * @param mistakes mistakes of the configuration, for the report
   * @param indexes the indexes of the configuration
   */
  public ImportReport report(
      List<String> mistakes, ImportResult result, Schema schema, List<IndexDefinition> indexes) {
    List<Finding> findings = new ArrayList<>();
    for (UndefinedName name : result.undefinedNames()) {
      Finding.Kind kind =
          switch (name.kind()) {
            case ATTRIBUTE -> Finding.Kind.UNDEFINED_ATTRIBUTE;
            case OPTION -> Finding.Kind.UNDEFINED_OPTION;
            case OBJECT_CLASS -> Finding.Kind.UNDEFINED_CLASS;
          };
      findings.add(new Finding(kind, name.name(), name.entries(), name.first()));
    }
    FindingCounts missing = new FindingCounts();
    NeededIndexes.missing(configuration, schema, indexes)
        .forEach(
            (type, option) -> missing.add(Finding.Kind.MISSING_INDEX, option, () -> type.name()));
    findings.addAll(missing.findings());
    findings.addAll(counts.findings());
    return new ImportReport(mistakes, result, findings, schemes);
  }

  /** The walk through one store. Confined to one running operation. */
  private final class Walk {
    private final ReadTransaction read;
    private final ExtensionExamination extensions;
    private final Schema schema;
    private final BitSet refusedIds = new BitSet();
    private final Map<Dn, String> refused = new HashMap<>();
    private final DuplicateValues duplicates;
    private final ReferenceCheck references;
    private final boolean[] locks;
    private final boolean[] passwords;
    private final Instant now = Instant.now();

    Walk(LmdbBackend backend, ReadTransaction read, ExtensionExamination extensions) {
      this.read = read;
      this.extensions = extensions;
      this.schema = backend.extendedSchema().schema();
      this.duplicates =
          new DuplicateValues(
              read,
              schema,
              testable(
                  NeededIndexes.rules(configuration, schema, Optional.empty()).uniqueness(),
                  backend.indexes()),
              id -> refusedIds.get((int) id));
      this.references =
          new ReferenceCheck(
              read,
              schema,
              NeededIndexes.rules(configuration, schema, Optional.empty()).references(),
              backend.namingContexts(),
              counts);
      this.locks = new boolean[read.attributes().size() + 1];
      this.passwords = new boolean[locks.length];
      for (int id = 1; id < locks.length; id++) {
        List<String> names = read.attributes().description(id).type().names();
        locks[id] = names.contains(LOCKED);
        passwords[id] = names.contains(PASSWORD);
      }
    }

    /** Returns the constraints for attributes that have indexes: others would take forever. */
    private List<UniquenessRule.Constraint> testable(
        List<UniquenessRule.Constraint> constraints, List<IndexDefinition> indexes) {
      Set<AttributeType> indexed = new HashSet<>();
      for (IndexDefinition index : indexes) {
        if (index.kinds().contains(IndexKind.EQUALITY)) {
          indexed.add(index.type());
        }
      }
      return constraints.stream()
          .map(
              each ->
                  new UniquenessRule.Constraint(
                      each.attributes().stream()
                          .filter(attribute -> isTestable(attribute, indexed))
                          .toList(),
                      each.base(),
                      each.filter()))
          .toList();
    }

    private boolean isTestable(AttributeSelector attribute, Set<AttributeType> indexed) {
      AttributeTable table = read.attributes();
      boolean isTestable = true;
      for (int id = 1; id <= table.size(); id++) {
        AttributeType type = table.description(id).type();
        if (attribute.selects(table, id) && !indexed.contains(type)) {
          isTestable = false;
          if (!type.equals(attribute.description().type())) {
            counts.add(Finding.Kind.MISSING_INDEX, "nyala.uniqueness", () -> type.name());
          }
        }
      }
      return isTestable;
    }

    Map<Dn, String> run() {
      SearchSpec all =
          new SearchSpec(
              ReadTransaction.NO_ENTRY, Scope.SUBTREE, CompiledFilter.Constant.TRUE, false, false);
      EntryView view = new EntryView();
      try (EntryCursor cursor = read.search(all, 0)) {
        while (cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY) {
          examine(view);
        }
      }
      return refused;
    }

    private void examine(EntryView view) {
      if (refuses && refusedIds.get((int) view.parentId())) {
        refusedIds.set((int) view.id());
        return;
      }
      List<DuplicateValues.Duplicate> found = duplicates.find(view);
      if (refuses && !found.isEmpty()) {
        refuse(view, found.getFirst());
        return;
      }
      for (DuplicateValues.Duplicate each : found) {
        counts.add(
            Finding.Kind.DUPLICATE_VALUE,
            each.description().name(),
            () -> name(view) + " has " + of(each));
      }
      references.test(view);
      extensions.examine(read, view, counts);
      for (int i = 0; i < view.attributeCount(); i++) {
        if (passwords[view.attributeId(i)]) {
          noteSchemes(view, i);
        }
        if (locks[view.attributeId(i)]) {
          Finding.Kind kind =
              isToCome(view, i) ? Finding.Kind.FUTURE_LOCK : Finding.Kind.LOCKED_ACCOUNT;
          counts.add(kind, LOCKED, () -> name(view).toString());
        }
      }
    }

    private void noteSchemes(EntryView view, int attribute) {
      ValueCursor values = new ValueCursor().open(view, attribute);
      while (!view.isApart(attribute) && values.next()) {
        byte[] value = values.value();
        Matcher scheme = SCHEME.matcher(new String(value, StandardCharsets.ISO_8859_1));
        PasswordScheme known =
            scheme.lookingAt() ? PasswordScheme.of(scheme.group(1)) : PasswordScheme.CLEARTEXT;
        if (known != null) {
          schemes.merge(known, 1L, Long::sum);
        }
        if (scheme.lookingAt()
            && newSchemes.contains(scheme.group(1).toUpperCase(Locale.ROOT))
            && UnverifiableHash.scheme(value) == null) {
          String shown = scheme.group().toUpperCase(Locale.ROOT);
          counts.add(Finding.Kind.NEW_SCHEME, shown, () -> name(view).toString());
        }
      }
    }

    private boolean isToCome(EntryView view, int attribute) {
      ValueCursor values = new ValueCursor().open(view, attribute);
      while (!view.isApart(attribute) && values.next()) {
        Instant time = PolicyReader.time(values.value());
        if (time != null && time.isAfter(now)) {
          return true;
        }
      }
      return false;
    }

    private void refuse(EntryView view, DuplicateValues.Duplicate duplicate) {
      String attribute = duplicate.description().name();
      if (refused.size() == MOST_REFUSED) {
        throw new StoreException(
            "more than "
                + MOST_REFUSED
                + " entries have values of others, against nyala.uniqueness, the last of them "
                + name(view)
                + ": correct the rule, or use --uniqueness report; nothing was changed");
      }
      refusedIds.set((int) view.id());
      String reason = "a value of " + attribute + " is to be unique, and this has " + of(duplicate);
      refused.put(name(view), PrintableText.of(reason, REASON_CHARS));
    }

    private String of(DuplicateValues.Duplicate duplicate) {
      String holder = read.readAside(duplicate.holder(), entry -> name(entry).toString());
      return quoted(duplicate.description().type(), duplicate.value()) + " of " + holder;
    }

    private Dn name(EntryView view) {
      return DnParser.parseStored(schema, view.dn());
    }
  }

  /**
   * Checks that values which have to name entries name one, if they are within the naming contexts.
   *
   * <p>Confined to one running operation, and to one transaction.
   */
  private static final class ReferenceCheck {
    private static final int SEPARATOR = '#';

    private final ReadTransaction read;
    private final Schema schema;
    private final List<Dn> contexts;
    private final FindingCounts counts;
    private final boolean[] selected;
    private final boolean[] hasIdentifiers;
    private final ValueCursor values = new ValueCursor();

    ReferenceCheck(
        ReadTransaction read,
        Schema schema,
        Set<AttributeType> types,
        List<Dn> contexts,
        FindingCounts counts) {
      this.read = read;
      this.schema = schema;
      this.contexts = contexts;
      this.counts = counts;
      AttributeTable table = read.attributes();
      selected = new boolean[table.size() + 1];
      hasIdentifiers = new boolean[table.size() + 1];
      for (int id = 1; id < selected.length; id++) {
        AttributeType type = table.description(id).type();
        selected[id] = types.stream().anyMatch(type::isOrDescendsFrom);
        hasIdentifiers[id] =
            type.equality() != null && type.equality().name().equals("uniqueMemberMatch");
      }
    }

    void test(EntryView entry) {
      for (int i = 0; i < entry.attributeCount(); i++) {
        int id = entry.attributeId(i);
        if (selected[id]) {
          values.open(entry, i);
          while (values.next()) {
            test(entry, id, values.value());
          }
        }
      }
    }

    private void test(EntryView entry, int id, byte[] value) {
      Dn name = name(value, hasIdentifiers[id]);
      if (name == null || !isWithin(name) || read.find(name) != ReadTransaction.NO_ENTRY) {
        return;
      }
      counts.add(
          Finding.Kind.DANGLING_REFERENCE,
          read.attributes().description(id).type().name(),
          () -> name + " in " + DnParser.parseStored(schema, entry.dn()));
    }

    /**
     * Returns the name in a value, without the bit string of a name with an optional identifier.
     */
    private @Nullable Dn name(byte[] value, boolean hasIdentifier) {
      byte[] dn = value;
      if (hasIdentifier && value.length > 2 && value[value.length - 1] == 'B') {
        int at = value.length - 1;
        while (at > 0 && value[at] != SEPARATOR) {
          at--;
        }
        dn = value[at] == SEPARATOR ? Arrays.copyOf(value, at) : value;
      }
      try {
        return DnParser.parse(
            schema, dn, DnParser.DEFAULT_MAXIMUM_LENGTH, DnParser.DEFAULT_MAXIMUM_RDNS);
      } catch (InvalidDnException _) {
        return null;
      }
    }

    private boolean isWithin(Dn name) {
      for (Dn context : contexts) {
        if (name.rdnCount() > 0 && name.isWithin(context)) {
          return true;
        }
      }
      return false;
    }
  }

  /**
   * Counts findings by kind and subject. There are as many subjects as configured and usual
   * attributes.
   *
   * <p>Confined to one running operation.
   */
  static final class FindingCounts {
    private static final int SHOWN_CHARS = 400;

    private final Map<Key, Count> counts = new LinkedHashMap<>();

    /** The kind and subject of findings. Immutable. */
    private record Key(Finding.Kind kind, String subject) {}

    private static final class Count {
      private final List<String> first = new ArrayList<>(Finding.SHOWN);
      private long count;
    }

    /** Counts one occurrence, whose text is asked for if it is among the first. */
    void add(Finding.Kind kind, String subject, Supplier<String> occurrence) {
      Count count = counts.computeIfAbsent(new Key(kind, subject), _ -> new Count());
      if (count.count++ < Finding.SHOWN) {
        count.first.add(PrintableText.of(occurrence.get(), SHOWN_CHARS));
      }
    }

    /** Returns what was counted, in the order in which each was first found. */
    List<Finding> findings() {
      List<Finding> findings = new ArrayList<>();
      counts.forEach(
          (key, count) ->
              findings.add(new Finding(key.kind, key.subject, count.count, count.first)));
      return findings;
    }
  }

  /**
   * The faults that the configured extensions find in entries, by their names.
   *
   * <p>Confined to one running operation.
   */
  public static final class ExtensionExamination implements AutoCloseable {
    /** The most values of an attribute that are read if the store keeps them apart. */
    private static final int MOST_APART = 100_000;

    private final Schema schema;
    private final int lookups;
    private final List<Extension> opened = new ArrayList<>();
    private final Map<String, Hooks.Examination> examinations = new LinkedHashMap<>();

    /**
     * Opens the extensions, but for those that would look up by an index that does not exist: they
     * would examine all entries for each value.
     *
     * @param indexes those of the store; nothing if no entry will be examined
     * @throws ConfigurationException if one fails, or the schema lacks what it names
     */
    ExtensionExamination(
        NyalaConfig configuration, Schema schema, Optional<List<IndexDefinition>> indexes) {
      this.schema = schema;
      this.lookups = configuration.limits().updates().ruleLookups();
      Collection<String> unindexed =
          indexes
              .map(all -> NeededIndexes.missing(configuration, schema, all).values())
              .orElse(List.of());
      try {
        for (ConfiguredExtension each : configuration.extensions()) {
          Extension extension = each.open();
          opened.add(extension);
          Hooks hooks = extension.hooks(ConfiguredExtension.directory(schema, configuration));
          Hooks.Examination examination = hooks.examination();
          if (examination != null && !unindexed.contains(each.key())) {
            examinations.put(extension.name(), examination);
          }
        }
      } catch (IllegalArgumentException e) {
        close();
        throw e.getCause() instanceof ConfigurationException mistake
            ? mistake
            : ConfigurationException.of("nyala", ErrorMessages.line(e));
      }
    }

    /**
     * Examines all entries of a store; a server may be running on it.
     *
     * @param each called before each entry; what it throws ends the examination
     * @return the findings, a line each
     */
    public static List<String> lines(NyalaConfig configuration, Schema files, Runnable each) {
      FindingCounts counts = new FindingCounts();
      try (LmdbBackend backend =
              LmdbBackend.open(configuration.data(), files, configuration.store().asReadOnly());
          ExtensionExamination extensions =
              new ExtensionExamination(
                  configuration,
                  backend.extendedSchema().schema(),
                  Optional.of(backend.indexes()))) {
        if (!extensions.examinations.isEmpty()) {
          extensions.examineAll(backend, counts, each);
        }
      }
      return counts.findings().stream().map(Finding::line).toList();
    }

    private void examineAll(LmdbBackend backend, FindingCounts counts, Runnable each) {
      CompiledFilter all = CompiledFilter.Constant.TRUE;
      SearchSpec spec = new SearchSpec(ReadTransaction.NO_ENTRY, Scope.SUBTREE, all, false, false);
      EntryView view = new EntryView();
      try (ReadTransaction read = backend.beginRead();
          EntryCursor cursor = read.search(spec, 0)) {
        while (cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY) {
          each.run();
          examine(read, view, counts);
        }
      }
    }

    /** Counts the faults of one entry. */
    void examine(ReadTransaction read, EntryView view, FindingCounts counts) {
      if (examinations.isEmpty()) {
        return;
      }
      Dn name = DnParser.parseStored(schema, view.dn());
      Entry entry = ChangedEntry.of(read, view, name, List.of());
      if ((view.flags() & EntryRecord.LARGE) != 0) {
        addApart(read, view, entry);
      }
      examinations.forEach(
          (extension, examination) ->
              examination
                  .faults(entry, read, Pace.ofLooks(lookups))
                  .forEach(
                      fault ->
                          counts.add(
                              Finding.Kind.EXTENSION_FAULT, extension, () -> name + ": " + fault)));
    }

    private static void addApart(ReadTransaction read, EntryView view, Entry entry) {
      for (int i = 0; i < view.attributeCount(); i++) {
        LargeValues apart = read.largeValues(view, i);
        if (apart != null) {
          AttributeDescription description = read.attributes().description(view.attributeId(i));
          apart.rewind();
          for (int count = 0; count < MOST_APART && apart.next(); count++) {
            entry.add(description, apart.value());
          }
        }
      }
    }

    @Override
    public void close() {
      opened.forEach(Extension::close);
    }
  }
}
