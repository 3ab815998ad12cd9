package org.nyala.extension;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.virtual.VirtualTree;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.filter.Membership;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.provider.AttributeProviders;
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
  private final Map<String, ExtendedKind> extended;

  private Extensions(List<Extension> ordered) {
    this.ordered = List.copyOf(ordered);
    Map<String, ExtendedKind> kinds = new LinkedHashMap<>();
    Map<String, String> carriers = new HashMap<>();
    for (Extension each : ordered) {
      for (ExtendedKind kind : each.extended()) {
        kinds.put(kind.oid(), kind);
        requireOnly(each.name(), carriers.put(kind.oid(), each.name()), "carry out " + kind.oid());
      }
    }
    this.extended = Collections.unmodifiableMap(kinds);
  }

  private static List<String> joined(List<String> some, List<String> others) {
    return Stream.concat(some.stream(), others.stream()).distinct().toList();
  }

  /** Refuses a second extension that does what one alone can do. */
  private static void requireOnly(String name, @Nullable String other, String what) {
    if (other != null) {
      throw new IllegalArgumentException(
          "the extensions " + other + " and " + name + " both " + what);
    }
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

  /** Returns the entries of all extensions that no store holds. */
  public List<VirtualTree> trees() {
    return ordered.stream().flatMap(each -> each.trees().stream()).toList();
  }

  /** Returns the extended operations of all extensions, by their object identifiers. */
  public Map<String, ExtendedKind> extended() {
    return extended;
  }

  /**
   * Returns the computed values of {@code memberOf}; null if no extension computes them.
   *
   * @throws IllegalArgumentException if two extensions do, or the schema lacks what one needs
   */
  public @Nullable Membership membership(Schema schema) {
    Membership found = null;
    String by = null;
    for (Extension each : ordered) {
      Membership membership = each.membership(schema);
      if (membership != null) {
        requireOnly(each.name(), by, "compute memberOf");
        found = membership;
        by = each.name();
      }
    }
    return found;
  }

  /**
   * Asks all extensions for their hooks in a directory.
   *
   * @throws IllegalArgumentException if the schema lacks what one needs, or two do what one alone
   *     can do; the message names both
   */
  public Resolved resolve(Directory directory) {
    return new Resolved(ordered, directory);
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
    private final List<PlacementRule> placements;
    private final Map<String, AttributeSource> attributes = new HashMap<>();
    private final Map<String, List<String>> rootDse = new LinkedHashMap<>();
    private @Nullable EntryControls entryControls;

    private Resolved(List<Extension> ordered, Directory directory) {
      List<Hooks> all = new ArrayList<>();
      Map<String, String> tasks = new HashMap<>();
      Map<Dn, String> tops = new HashMap<>();
      for (Extension each : ordered) {
        Hooks hooks = each.hooks(directory);
        all.add(hooks);
        hooks
            .rootDse()
            .forEach((attribute, values) -> rootDse.merge(attribute, values, Extensions::joined));
        for (AttributeSource source : hooks.attributes()) {
          String task = "compute " + source.oid();
          requireOnly(each.name(), tasks.put(task, each.name()), task);
          attributes.put(source.oid(), source);
        }
        for (VirtualTree tree : each.trees()) {
          Dn top = requireFree(each.name(), tree.top().rdn(), directory);
          requireOnly(each.name(), tops.put(top, each.name()), "show entries below " + top);
        }
        EntryControls controls = hooks.entryControls();
        if (controls != null) {
          String task = "add controls to entries";
          requireOnly(each.name(), tasks.put(task, each.name()), task);
          entryControls = controls;
        }
      }
      rules = all.stream().flatMap(hooks -> hooks.rules().stream()).toList();
      searches =
          all.stream().flatMap(hooks -> hooks.searches().stream()).toArray(SearchKind[]::new);
      placements = all.stream().flatMap(hooks -> hooks.placements().stream()).toList();
      for (OperationType type : OperationType.values()) {
        enclosing.put(
            type,
            all.reversed().stream()
                .filter(hooks -> hooks.encloses().contains(type))
                .toArray(Hooks[]::new));
      }
    }

    /** Returns the name of a tree, which must be none of a naming context, nor of the schema. */
    private static Dn requireFree(String extension, String top, Directory directory) {
      try {
        Dn name = DnParser.parse(directory.schema(), top);
        boolean isTaken =
            name.rdnCount() != 1
                || name.toString().equalsIgnoreCase(AttributeProviders.SUBSCHEMA_DN)
                || directory.namingContexts().stream().anyMatch(name::equals);
        if (!isTaken) {
          return name;
        }
      } catch (InvalidDnException e) {
        throw new IllegalArgumentException(
            "the extension " + extension + " shows entries below '" + top + "', which is no name",
            e);
      }
      throw new IllegalArgumentException(
          "the extension " + extension + " shows entries below '" + top + "', which is taken");
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
      return Stream.of(searches).anyMatch(kind -> kind.isEndless(control));
    }

    /** Returns what is told with the entries that searches find; null if nothing. */
    public @Nullable EntryControls entryControls() {
      return entryControls;
    }

    /** Returns the rules for changes, in the order in which they run. */
    public List<ChangeRule> rules() {
      return rules;
    }

    /** Returns the rules about the places of entries, in the order in which they run. */
    public List<PlacementRule> placements() {
      return placements;
    }

    /** Returns the attributes that the root DSE has because of any extension. */
    public Map<String, List<String>> rootDse() {
      return Collections.unmodifiableMap(rootDse);
    }

    /** Returns the source of a computed attribute; null if no extension computes it. */
    public @Nullable AttributeSource attribute(String oid) {
      return attributes.get(oid);
    }
  }
}
