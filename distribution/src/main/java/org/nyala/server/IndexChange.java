package org.nyala.server;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.nyala.config.ComputedIndexes;
import org.nyala.config.NeededIndexes;
import org.nyala.config.NyalaConfig;
import org.nyala.core.schema.Schema;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.lmdb.format.IndexProgress;

/**
 * A requested change of a store's indexes.
 *
 * <p>Immutable.
 *
 * @param action the kind of the change
 * @param definition the attribute and the kinds of index
 */
public record IndexChange(Action action, IndexDefinition definition) {
  public enum Action {
    /** Builds missing indexes. */
    ADD,
    /** Deletes indexes and builds them again. */
    REBUILD,
    /** Deletes indexes. */
    DROP
  }

  private static final String EQUALITY = "eq";

  /**
   * Parses a request.
   *
   * @param text an attribute, and kinds of index after a colon; without these, add means equality,
   *     rebuild and drop mean all existing kinds
   * @throws CommandException if there is no such attribute or kind
   */
  public static IndexChange parse(LmdbBackend backend, Action action, String text) {
    Schema schema = backend.extendedSchema().schema();
    int colon = text.indexOf(':');
    String attribute = colon < 0 ? text : text.substring(0, colon);
    try {
      if (colon >= 0) {
        return new IndexChange(
            action, IndexDefinition.parse(schema, attribute, text.substring(colon + 1)));
      }
      IndexDefinition simple = IndexDefinition.parse(schema, attribute, "pres");
      for (IndexDefinition known : backend.indexes()) {
        if (action != Action.ADD && known.type().equals(simple.type())) {
          return new IndexChange(action, known);
        }
      }
      return new IndexChange(action, IndexDefinition.parse(schema, attribute, EQUALITY));
    } catch (IllegalArgumentException e) {
      throw CommandException.usage(ErrorMessages.line(e));
    }
  }

  /** Rejects an index on a computed attribute, which no search would use. */
  public void requireUseful(LmdbBackend backend, NyalaConfig configuration) {
    if (action == Action.ADD
        && (ComputedIndexes.isComputed(backend.extendedSchema().schema(), definition)
            || NeededIndexes.computes(configuration, definition.type()))) {
      throw CommandException.usage(ComputedIndexes.reason(definition));
    }
  }

  /**
   * Rejects the removal of an index that the configured rules need. A server with such rules does
   * not start without the index, and a running one would examine all entries for every change.
   */
  public void requireNotNeeded(NyalaConfig configuration) {
    if (action == Action.ADD || !definition.kinds().contains(IndexKind.EQUALITY)) {
      return;
    }
    Optional<String> rule = NeededIndexes.needing(configuration, definition.type());
    if (rule.isPresent()) {
      throw CommandException.usage(
          rule.get()
              + " needs the index "
              + definition.type().name().toLowerCase(Locale.ROOT)
              + ':'
              + EQUALITY
              + (action == Action.DROP
                  ? ": take the attribute out of the configuration first, and restart the server"
                  : ": stop the server to rebuild it"));
    }
  }

  /** Begins the change in the store; {@code workOnIndexes} does the rest. */
  public void begin(LmdbBackend backend) {
    try {
      switch (action) {
        case ADD -> backend.addIndex(definition);
        case REBUILD -> backend.rebuildIndex(definition);
        case DROP -> backend.dropIndex(definition);
      }
    } catch (IllegalArgumentException e) {
      throw CommandException.usage(ErrorMessages.line(e));
    }
  }

  /** Returns the remaining work of the change. */
  List<IndexProgress> leftOf(List<IndexProgress> work) {
    List<IndexProgress> left = new ArrayList<>();
    for (IndexProgress each : work) {
      if (isOn(each) && definition.kinds().contains(each.kind())) {
        left.add(each);
      }
    }
    return left;
  }

  /** Returns whether work concerns the attribute. */
  public boolean isOn(IndexProgress work) {
    return work.attribute().equals(definition.type().name());
  }

  /** Returns whether the store's indexes are as the change requests. */
  public boolean isFulfilled(List<IndexDefinition> indexes) {
    Set<IndexKind> complete = EnumSet.noneOf(IndexKind.class);
    for (IndexDefinition index : indexes) {
      if (index.type().equals(definition.type())) {
        complete.addAll(index.kinds());
      }
    }
    return action == Action.DROP
        ? Collections.disjoint(complete, definition.kinds())
        : complete.containsAll(definition.kinds());
  }

  /** Returns the line for a store whose indexes are as requested. */
  public String done() {
    return "done: " + definition + (action == Action.DROP ? " is dropped" : " is built");
  }

  public static String text(IndexProgress work) {
    String state =
        work.isBuilding()
            ? String.format(Locale.ROOT, "building, %d of %d entries", work.done(), work.total())
            : "being deleted";
    return work.attribute().toLowerCase(Locale.ROOT)
        + ':'
        + work.kind().label()
        + " ("
        + state
        + ')';
  }

  /**
   * The progress of work.
   *
   * @param done entries that were indexed
   * @param total entries to index; 0 if keys are only deleted
   */
  record Progress(long done, long total) {}

  /** Returns the total progress. */
  static Progress progress(List<IndexProgress> work) {
    long done = 0;
    long total = 0;
    for (IndexProgress each : work) {
      done += each.isBuilding() ? each.done() : 0;
      total += each.isBuilding() ? each.total() : 0;
    }
    return new Progress(done, total);
  }

  /** Returns the total progress in one line. */
  public static String text(List<IndexProgress> work) {
    return String.join(", ", work.stream().map(IndexChange::text).toList());
  }

  /** Returns definitions as text for messages. */
  static String definitions(List<IndexDefinition> definitions) {
    return String.join(" ", definitions.stream().map(IndexDefinition::toString).sorted().toList());
  }
}
