package org.nyala.server;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.nyala.config.ComputedIndexes;
import org.nyala.config.IntegrityRules;
import org.nyala.config.NyalaConfig;
import org.nyala.core.schema.Schema;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.lmdb.format.IndexProgress;

/**
 * A change of what a store indexes, as somebody asks for it.
 *
 * <p>Immutable.
 *
 * @param action what to do
 * @param definition the attribute and the kinds of index that it is about
 */
public record IndexChange(Action action, IndexDefinition definition) {
  /** What is done to indexes. */
  public enum Action {
    /** Builds what is not there. */
    ADD,
    /** Deletes what is there and builds it again. */
    REBUILD,
    /** Deletes what is there. */
    DROP
  }

  private static final String EQUALITY = "eq";

  /**
   * Reads what somebody asks for.
   *
   * @param text an attribute, and kinds of index after a colon; without these, equality to add, and
   *     all that there are to rebuild and to drop
   * @throws CommandException when there is no such attribute or kind
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
      throw new CommandException(ExitCode.USAGE, ErrorMessages.line(e));
    }
  }

  /** Refuses to build an index on an attribute that is computed: no search would look into it. */
  public void requireUseful(LmdbBackend backend, NyalaConfig configuration) {
    if (action == Action.ADD
        && (ComputedIndexes.isComputed(backend.extendedSchema().schema(), definition)
            || IntegrityRules.computes(configuration, definition.type()))) {
      throw new CommandException(ExitCode.USAGE, ComputedIndexes.reason(definition));
    }
  }

  /**
   * Refuses to take away what the rules of the configuration look into. A server with such rules
   * does not start without, and one that runs would look at all entries for every change.
   */
  public void requireNotNeeded(NyalaConfig configuration) {
    if (action == Action.ADD || !definition.kinds().contains(IndexKind.EQUALITY)) {
      return;
    }
    Optional<String> rule = IntegrityRules.needing(configuration, definition.type());
    if (rule.isPresent()) {
      throw new CommandException(
          ExitCode.USAGE,
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

  /** Makes the store begin; what is left to do then is done by {@code workOnIndexes}. */
  public void begin(LmdbBackend backend) {
    try {
      switch (action) {
        case ADD -> backend.addIndex(definition);
        case REBUILD -> backend.rebuildIndex(definition);
        case DROP -> backend.dropIndex(definition);
      }
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, ErrorMessages.line(e));
    }
  }

  /** What is left to do for it. */
  List<IndexProgress> leftOf(List<IndexProgress> work) {
    List<IndexProgress> left = new ArrayList<>();
    for (IndexProgress each : work) {
      if (isOn(each) && definition.kinds().contains(each.kind())) {
        left.add(each);
      }
    }
    return left;
  }

  /** Whether work is on the attribute. */
  public boolean isOn(IndexProgress work) {
    return work.attribute().equals(definition.type().name());
  }

  /** Whether the store is indexed as the change wants it. */
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

  /** The line for a store whose indexes are as wanted. */
  public static String done(List<IndexDefinition> indexes) {
    return "done: " + indexes.size() + " attributes are indexed";
  }

  /** How far work has come, for a person. */
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
   * How far works have come.
   *
   * @param done entries that were indexed
   * @param total entries to index; 0 where keys are only deleted
   */
  record Progress(long done, long total) {}

  /** How far works have come together. */
  static Progress progress(List<IndexProgress> work) {
    long done = 0;
    long total = 0;
    for (IndexProgress each : work) {
      done += each.isBuilding() ? each.done() : 0;
      total += each.isBuilding() ? each.total() : 0;
    }
    return new Progress(done, total);
  }

  /** How far works have come, in one line. */
  public static String text(List<IndexProgress> work) {
    return String.join(", ", work.stream().map(IndexChange::text).toList());
  }

  /** The texts of definitions, for messages. */
  static String definitions(List<IndexDefinition> definitions) {
    return String.join(" ", definitions.stream().map(IndexDefinition::toString).sorted().toList());
  }
}
