package org.nyala.extension;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.session.OperationBody;

/**
 * The places where an extension does something, in a directory under one schema and one set of
 * terms. Each is asked for once, by {@link Extensions#resolve}, but for {@link #around}.
 *
 * <p>Thread-safe.
 */
public interface Hooks {
  /** The hooks of an extension that has nothing to do. */
  Hooks NONE = new Hooks() {};

  /** Returns the types of requests that {@link #around} is called for; none by default. */
  default Set<OperationType> encloses() {
    return Set.of();
  }

  /**
   * Returns the operation that carries out a request in place of the given one, which it may run
   * before, after, or not at all; the given one if the request does not concern the extension.
   *
   * <p>Called once for each request, on the event loop of its connection, before its turn: it
   * blocks never, reads no store, and looks at the request only. The identity of the client is
   * known when the operation runs.
   *
   * @param body the operation with all that comes after this extension
   */
  default OperationBody around(Request request, OperationBody body) {
    return body;
  }

  /** Returns the rules that every change has to keep to, or that make others follow it. */
  default List<ChangeRule> rules() {
    return List.of();
  }

  /**
   * Returns the kinds of searches that it carries out, in the order in which they are asked; the
   * first that takes a search over is the last that is asked.
   */
  default List<SearchKind> searches() {
    return List.of();
  }

  /** Returns how entries are examined that no change brings; null if they are not. */
  default @Nullable Examination examination() {
    return null;
  }

  /** An examination of imported and stored entries. Thread-safe. */
  @FunctionalInterface
  interface Examination {
    /**
     * Examines an entry, of which an attribute with more than 100,000 values has that many.
     *
     * @param state the entries of which it is one
     * @param pace checked at each look-up; once it ends, not all faults need be found
     * @return a sentence for each fault, without values that may be secret
     */
    List<String> faults(Entry entry, ReadTransaction state, Pace pace);
  }

  /**
   * Returns what it tells with the entries that searches find; null if nothing. One extension of a
   * directory may do so.
   */
  default @Nullable EntryControls entryControls() {
    return null;
  }

  /** Returns the rules about the places of entries that clients add or move. */
  default List<PlacementRule> placements() {
    return List.of();
  }

  /** Returns the sources of computed attributes, each the only one of the directory. */
  default List<AttributeSource> attributes() {
    return List.of();
  }

  /** Returns the attributes that it adds to the root DSE, with their values, by their names. */
  default Map<String, List<String>> rootDse() {
    return Map.of();
  }

  /** A way to enclose the operation of a request. */
  @FunctionalInterface
  interface Enclosing {
    /** Does what {@link Hooks#around} says. */
    OperationBody around(Request request, OperationBody body);
  }

  /** Returns hooks that enclose operations, and do nothing else. */
  static Hooks enclosing(Set<OperationType> types, Enclosing enclosing) {
    Set<OperationType> enclosed = Set.copyOf(types);
    return new Hooks() {
      @Override
      public Set<OperationType> encloses() {
        return enclosed;
      }

      @Override
      public OperationBody around(Request request, OperationBody body) {
        return enclosing.around(request, body);
      }
    };
  }

  /** Returns hooks that check changes, and do nothing else. */
  static Hooks checking(List<ChangeRule> rules) {
    List<ChangeRule> all = List.copyOf(rules);
    return new Hooks() {
      @Override
      public List<ChangeRule> rules() {
        return all;
      }
    };
  }
}
