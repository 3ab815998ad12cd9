package org.nyala.importcheck;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.nyala.config.ConfiguredExtension;
import org.nyala.config.NeededIndexes;
import org.nyala.config.NyalaConfig;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.ChangedEntry;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.Schema;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.extension.Extension;
import org.nyala.extension.Hooks;
import org.nyala.importcheck.DataExamination.FindingCounts;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.format.IndexDefinition;

/**
 * The faults that the configured extensions find in entries, by their names.
 *
 * <p>Confined to one running operation.
 */
public final class ExtensionExamination implements AutoCloseable {
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
                configuration, backend.extendedSchema().schema(), Optional.of(backend.indexes()))) {
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
