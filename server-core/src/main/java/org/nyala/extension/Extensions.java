package org.nyala.extension;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.filter.Membership;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.schema.Schema;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.update.ChangeListener;

/**
 * The extensions of a directory, in their order.
 *
 * <p>Immutable; the extensions are thread-safe.
 */
public final class Extensions {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,39}");

  private final List<Extension> ordered;

  private Extensions(List<Extension> ordered) {
    this.ordered = List.copyOf(ordered);
  }

  /**
   * Puts extensions in order: by the places that they require, and where these leave a choice, in
   * the order given.
   *
   * @throws IllegalArgumentException if a name is malformed, two have the same, or the places of
   *     two contradict each other; the message names both
   */
  public static Extensions of(List<? extends Extension> given) {
    Map<String, Extension> waiting = new LinkedHashMap<>();
    for (Extension each : given) {
      String fault = nameFault(each.name());
      if (fault != null) {
        throw new IllegalArgumentException(fault);
      }
      if (waiting.put(each.name(), each) != null) {
        throw new IllegalArgumentException("two extensions have the name " + each.name());
      }
    }
    List<Extension> ordered = new ArrayList<>(waiting.size());
    while (!waiting.isEmpty()) {
      Extension next = next(waiting);
      ordered.add(next);
      waiting.remove(next.name());
    }
    return new Extensions(ordered);
  }

  /** Returns the reason why an extension cannot have a name; null if it can. */
  public static @Nullable String nameFault(String name) {
    return NAME.matcher(name).matches() ? null : "'" + name + "' is no name of an extension";
  }

  /** Returns the first that no other one has to precede. */
  private static Extension next(Map<String, Extension> waiting) {
    for (Extension each : waiting.values()) {
      if (predecessor(each, waiting) == null) {
        return each;
      }
    }
    throw contradiction(waiting);
  }

  /** Returns an extension that has to come before another one; null if there is none. */
  private static @Nullable Extension predecessor(
      Extension extension, Map<String, Extension> waiting) {
    for (Extension other : waiting.values()) {
      if (precedes(other, extension)) {
        return other;
      }
    }
    return null;
  }

  private static boolean precedes(Extension one, Extension other) {
    return other.place().after().contains(one.name())
        || one.place().before().contains(other.name());
  }

  /** Names two neighbours of a circle, one of which requires what the other excludes. */
  private static IllegalArgumentException contradiction(Map<String, Extension> waiting) {
    List<Extension> path = new ArrayList<>();
    Extension at = waiting.values().iterator().next();
    while (!path.contains(at)) {
      path.add(at);
      Extension before = predecessor(at, waiting);
      if (before == null) {
        throw new IllegalStateException(at.name());
      }
      at = before;
    }
    Extension other = path.getLast();
    return new IllegalArgumentException(
        "the extension "
            + at.name()
            + " has to come both before and after the extension "
            + other.name()
            + ": look at the places that they require");
  }

  /** Returns the extensions, from the first that sees a request to the last. */
  public List<Extension> all() {
    return ordered;
  }

  /** Returns the listeners for commits of all extensions, in their order. */
  public List<ChangeListener> listeners() {
    return ordered.stream().flatMap(each -> each.listeners().stream()).toList();
  }

  /** Returns the controls that requests of a type honour because of any extension. */
  public Set<ControlType> controls(OperationType type) {
    Set<ControlType> all = EnumSet.noneOf(ControlType.class);
    ordered.forEach(each -> all.addAll(each.controls(type)));
    return all;
  }

  /**
   * Returns the computed values of {@code memberOf}; null if no extension computes them.
   *
   * @throws IllegalArgumentException if two extensions do, or the schema lacks what one needs
   */
  public @Nullable Membership membership(Schema schema) {
    Membership found = null;
    String by = "";
    for (Extension each : ordered) {
      Membership membership = each.membership(schema);
      if (membership != null && found != null) {
        throw new IllegalArgumentException(
            "the extensions " + by + " and " + each.name() + " both compute memberOf");
      }
      if (membership != null) {
        found = membership;
        by = each.name();
      }
    }
    return found;
  }

  /**
   * Asks all extensions for their hooks in a directory.
   *
   * @throws IllegalArgumentException if the schema lacks what one needs, or two add controls to
   *     entries; the message names both
   */
  public Resolved resolve(Directory directory) {
    Map<OperationType, List<Hooks>> enclosing = new EnumMap<>(OperationType.class);
    List<ChangeRule> rules = new ArrayList<>();
    List<SearchKind> searches = new ArrayList<>();
    EntryControls controls = null;
    String by = "";
    for (Extension each : ordered) {
      Hooks hooks = each.hooks(directory);
      rules.addAll(hooks.rules());
      searches.addAll(hooks.searches());
      EntryControls told = hooks.entryControls();
      if (told != null && controls != null) {
        throw new IllegalArgumentException(
            "the extensions " + by + " and " + each.name() + " both add controls to entries");
      }
      if (told != null) {
        controls = told;
        by = each.name();
      }
      for (OperationType type : hooks.encloses()) {
        enclosing.computeIfAbsent(type, _ -> new ArrayList<>()).add(hooks);
      }
    }
    return new Resolved(enclosing, rules, searches, controls);
  }

  /**
   * The hooks of all extensions in one directory, by the types of requests.
   *
   * <p>Immutable; the hooks are thread-safe.
   */
  public static final class Resolved {
    private static final Hooks[] NOTHING = {};

    private final Map<OperationType, Hooks[]> enclosing = new EnumMap<>(OperationType.class);
    private final List<ChangeRule> rules;
    private final SearchKind[] searches;
    private final @Nullable EntryControls entryControls;

    private Resolved(
        Map<OperationType, List<Hooks>> enclosing,
        List<ChangeRule> rules,
        List<SearchKind> searches,
        @Nullable EntryControls entryControls) {
      this.entryControls = entryControls;
      this.rules = List.copyOf(rules);
      this.searches = searches.toArray(SearchKind[]::new);
      for (OperationType type : OperationType.values()) {
        List<Hooks> inner = enclosing.getOrDefault(type, List.of()).reversed();
        this.enclosing.put(type, inner.toArray(NOTHING));
      }
    }

    /** Returns the operation of a request with all that encloses it; see {@link Hooks#around}. */
    public OperationBody around(Request request, OperationBody body) {
      OperationBody outer = body;
      for (Hooks hooks : enclosing.getOrDefault(request.type(), NOTHING)) {
        outer = hooks.around(request, outer);
      }
      return outer;
    }

    /**
     * Returns the stage of the first kind of search that takes one over; null if none does.
     *
     * @throws LdapOperationException if one refuses it
     */
    public @Nullable SearchStage search(AskedSearch asked, Operation operation)
        throws LdapOperationException {
      for (SearchKind kind : searches) {
        SearchStage stage = kind.stage(asked, operation);
        if (stage != null) {
          return stage;
        }
      }
      return null;
    }

    /** Returns whether a search with a control, as received, goes on until the client ends it. */
    public boolean isEndless(RequestControl control) {
      return Arrays.stream(searches).anyMatch(kind -> kind.isEndless(control));
    }

    /** Returns what is told with the entries that searches find; null if nothing. */
    public @Nullable EntryControls entryControls() {
      return entryControls;
    }

    /** Returns the rules for changes, in the order in which they run. */
    public List<ChangeRule> rules() {
      return rules;
    }
  }
}
