package org.nyala.blind;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.nyala.blind.BlindRequests.Asked;
import org.nyala.blind.Twins.Change;
import org.nyala.blind.Twins.Twin;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.OperationType;

/**
 * A group that is hidden at times, its members, and a filter by both. While it is hidden, its
 * members differ. Members go out of sight and come back. What a search finds by a change, or what
 * it has found and is out of sight, has to be told.
 *
 * <p>Confined to one thread.
 */
final class Crew {
  private static final String VEIL = "businessCategory";
  private static final List<String> SHUTTLES = Names.PERSONS.subList(3, 7);
  private static final List<String> MEMBERS =
      List.of(Names.LINKS, SHUTTLES.get(0), SHUTTLES.get(1), SHUTTLES.get(3));

  private final Twins twins;
  private final Lot lot;
  private final FilterNode filter;
  private final Set<String> veiled = new HashSet<>();
  private final Set<String> moved = new HashSet<>();

  Crew(Twins twins, Lot lot) {
    this.twins = twins;
    this.lot = lot;
    FilterNode members = new FilterNode.Equality("memberOf", Names.CREW.getBytes(UTF_8));
    FilterNode named = new FilterNode.Equality("sn", "s1".getBytes(UTF_8));
    filter =
        lot.pick(
            List.of(
                members,
                new FilterNode.And(
                    List.of(
                        new FilterNode.Equality("objectClass", "inetOrgPerson".getBytes(UTF_8)),
                        new FilterNode.Not(members))),
                named,
                new FilterNode.Or(List.of(named, members))));
  }

  FilterNode filter() {
    return filter;
  }

  /** Returns the names of the entries that a client finds on each server now. */
  List<Set<String>> found(Pair pair, String base, SearchScope scope) throws IOException {
    return names(pair, base, scope, filter);
  }

  private static List<Set<String>> names(
      Pair pair, String base, SearchScope scope, FilterNode filter) throws IOException {
    Asked asked =
        Asked.of(
            OperationType.SEARCH,
            BlindRequests.search(
                base, scope, filter, DereferencePolicy.NEVER, 0, false, List.of("1.1")),
            List.of());
    return pair.ask(_ -> asked).stream().map(Crew::entries).toList();
  }

  /** Returns the names of the entries among some messages. */
  static Set<String> entries(List<byte[]> messages) {
    Set<String> names = new HashSet<>();
    for (byte[] message : messages) {
      if (RawClient.isEntry(Messages.operation(message))) {
        names.add(Names.canonical(Messages.name(message)));
      }
    }
    return names;
  }

  /**
   * Returns the entries of which a search has to tell because of a change, on each server.
   *
   * @param changed the name that an entry had, and has again
   * @param before what was found before
   * @param after what is found now
   */
  List<Set<String>> due(
      Pair pair, String changed, List<Set<String>> before, List<Set<String>> after)
      throws IOException {
    List<Set<String>> seen =
        names(pair, changed, SearchScope.BASE, new FilterNode.Present("objectClass"));
    List<Set<String>> due = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      boolean was = before.get(i).contains(changed);
      boolean comes = !was && after.get(i).contains(changed);
      due.add(comes || was && seen.get(i).isEmpty() ? Set.of(changed) : Set.of());
    }
    return due;
  }

  /** Makes a change; returns the name of the entry that is changed itself, not as a member. */
  String change() {
    String shuttle = lot.pick(SHUTTLES);
    return switch (lot.random.nextInt(6)) {
      case 0 -> veil(Names.CREW);
      case 1 -> {
        member(shuttle);
        yield Names.CREW;
      }
      case 2 -> veil(shuttle);
      case 3 -> move(shuttle);
      default -> {
        String value = "s" + lot.random.nextInt(3);
        all(root -> root.modify(place(shuttle), replace("sn", value)));
        yield shuttle;
      }
    };
  }

  private void all(Change change) {
    twins.all().forEach(twin -> Twins.change(twin, change));
  }

  private static Modification replace(String attribute, String... values) {
    return new Modification(ModificationType.REPLACE, attribute, values);
  }

  /** Hides an entry, or shows it. */
  private String veil(String name) {
    boolean hides = veiled.add(name);
    if (!hides) {
      veiled.remove(name);
    }
    Modification veil = hides ? replace(VEIL, "secret") : replace(VEIL);
    Modification members = replace("member", present());
    all(
        name.equals(Names.CREW)
            ? root -> root.modify(name, veil, members)
            : root -> root.modify(place(name), veil));
    return name;
  }

  private String[] present() {
    return MEMBERS.stream().map(this::place).toArray(String[]::new);
  }

  /** Adds or removes a member; of a hidden group on one of the servers. */
  private void member(String name) {
    ModificationType type = lot.once(2) ? ModificationType.ADD : ModificationType.DELETE;
    boolean isHidden = veiled.contains(Names.CREW);
    boolean isFirst = lot.once(2);
    for (Twin twin : twins.all()) {
      if (!isHidden || twin.isFirst() == isFirst) {
        Twins.change(
            twin, root -> root.modify(Names.CREW, new Modification(type, "member", place(name))));
      }
    }
  }

  /** Moves an entry to a hidden place, or back. */
  private String move(String name) {
    String from = place(name);
    boolean leaves = moved.add(name);
    if (!leaves) {
      moved.remove(name);
    }
    String rdn = name.substring(0, name.indexOf(','));
    all(root -> root.modifyDN(from, rdn, true, leaves ? Names.VAULT : Names.PEOPLE));
    return name;
  }

  private String place(String name) {
    return moved.contains(name) ? name.replace(Names.PEOPLE, Names.VAULT) : name;
  }

  /** Shows all again. */
  void restore() {
    List.copyOf(moved).forEach(this::move);
    List.copyOf(veiled).forEach(this::veil);
    all(root -> root.modify(Names.CREW, replace("member", present())));
  }
}
