package org.nyala.blind;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.blind.BlindRequests.Asked;
import org.nyala.blind.Twins.Twin;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.OperationType;

/**
 * A persistent search or a synchronization that goes on, on both servers, while changes are made.
 * After each, the entry of a fence is changed, whose notification tells that all before it have
 * come.
 *
 * <p>Confined to one thread.
 */
final class Standing {
  private static final FilterNode FENCES =
      new FilterNode.Equality("ou", "fence".getBytes(StandardCharsets.UTF_8));

  private static final int MOST_CHANGES = 4;
  private static final int WATCHED_CHANGES = 8;
  private static final int RETRY_MILLIS = 300;
  private static final int MOST_RETRIES = 200;

  private final Twins twins;
  private final Comparison comparison;
  private final Lot lot;
  private final RootChanges changes;
  private final String client;
  private final String base;
  private final @Nullable Crew crew;
  private @Nullable Asked asked;
  private final List<List<byte[]>> came = List.of(new ArrayList<>(), new ArrayList<>());

  Standing(Twins twins, Comparison comparison, Lot lot, RootChanges changes, String client) {
    this.twins = twins;
    this.comparison = comparison;
    this.lot = lot;
    this.changes = changes;
    this.client = client;
    crew = twins.hides(Secret.SIBLINGS) && lot.once(2) ? new Crew(twins, lot) : null;
    base = lot.pick(crew == null ? Names.TOPS : List.of(Names.TOP, Names.PEOPLE));
  }

  /** Runs one search, up to its end with the connection. */
  void run(String about, BlindFilters filters, BlindControls controls) throws IOException {
    if (client.isEmpty() && !twins.showsStrangersSomething()) {
      return;
    }
    Crew watched = crew;
    if (watched != null) {
      watch(about, watched);
      return;
    }
    boolean isSync = lot.once(2);
    asked = isSync ? synchronization(filters) : persistent(filters, controls);
    controls.count(isSync ? ControlType.SYNC_REQUEST : ControlType.PERSISTENT_SEARCH);
    try (Pair pair = new Pair(twins, client)) {
      pair.send(_ -> asked);
      for (int i = 0; i < 2; i++) {
        if (!fence(pair)) {
          compare(about + " standing, refused\n  " + asked);
          return;
        }
      }
      compare(about + " standing, at first\n  " + asked);
      boolean goesOn = true;
      for (int i = lot.random.nextInt(MOST_CHANGES); i >= 0 && goesOn; i--) {
        if (lot.once(3)) {
          changes.hidden();
        } else {
          changes.seen(about);
        }
        goesOn = fence(pair);
        compare(about + " standing, after a change\n  " + asked);
      }
    }
  }

  /** Runs a search by a group that is hidden at times, and requires that it tells of all. */
  private void watch(String about, Crew watched) throws IOException {
    asked = byGroup(watched.filter());
    try (Pair pair = new Pair(twins, client);
        Pair asking = new Pair(twins, client)) {
      pair.send(_ -> asked);
      boolean isBegun = fence(pair);
      boolean goesOn = isBegun && fence(pair);
      compare(about + " watching, at first\n  " + asked);
      List<Set<String>> before = watched.found(asking, base, SearchScope.SUB);
      for (int i = 0; i < WATCHED_CHANGES && goesOn; i++) {
        String changed = watched.change();
        goesOn = fence(pair);
        List<Set<String>> after = watched.found(asking, base, SearchScope.SUB);
        List<Set<String>> due = watched.due(asking, changed, before, after);
        for (int twin = 0; twin < due.size(); twin++) {
          if (!Crew.entries(came.get(twin)).containsAll(due.get(twin))) {
            comparison.differ(about + " watching, not told of " + changed + "\n  " + asked, came);
          }
        }
        compare(about + " watching, after a change of " + changed + "\n  " + asked);
        before = after;
      }
    } finally {
      watched.restore();
    }
  }

  private Asked byGroup(FilterNode filter) {
    byte[] value =
        new BerWriter()
            .sequence(new BerWriter().integer(15).bool(lot.once(2)).bool(true))
            .toByteArray();
    return Asked.of(
        OperationType.SEARCH,
        BlindRequests.search(
            base,
            SearchScope.SUB,
            new FilterNode.Or(List.of(FENCES, filter)),
            DereferencePolicy.NEVER,
            0,
            false,
            List.of("l", "title")),
        List.of(
            new Control(ControlType.PERSISTENT_SEARCH.oid(), true, new ASN1OctetString(value))));
  }

  private void compare(String about) {
    comparison.compareStanding(about, came);
    came.forEach(List::clear);
  }

  /** Waits on both servers for all changes so far; returns false if the search has ended. */
  private boolean fence(Pair pair) throws IOException {
    String value = "fence " + twins.next() + '.';
    boolean goesOn = true;
    for (Twin twin : twins.all()) {
      goesOn &= fence(twin, pair.of(twin), value);
    }
    return goesOn;
  }

  private boolean fence(Twin twin, RawClient wire, String value) throws IOException {
    List<byte[]> of = came.get(twin.isFirst() ? 0 : 1);
    for (int i = 0; i < MOST_RETRIES; i++) {
      // A search that has not begun does not tell of a change.
      Modification next = new Modification(ModificationType.REPLACE, "l", value + i);
      Twins.change(twin, root -> root.modify(Names.fence(base), next));
      byte[] message = wire.next(RETRY_MILLIS);
      while (message != null) {
        if (isFence(message)) {
          if (new String(message, StandardCharsets.ISO_8859_1).contains(value)) {
            return true;
          }
        } else if (!Messages.isNewCookie(message)) {
          of.add(message);
        }
        if (RawClient.isEnd(message)) {
          return false;
        }
        message = wire.next(RETRY_MILLIS);
      }
    }
    throw new AssertionError("the fence is not told of: " + asked + Messages.text(of));
  }

  private static boolean isFence(byte[] message) {
    return RawClient.isEntry(Messages.operation(message))
        && Messages.name(message).startsWith("ou=fence,");
  }

  private Asked persistent(BlindFilters filters, BlindControls controls) {
    List<Control> with = new ArrayList<>();
    with.add(controls.of(ControlType.PERSISTENT_SEARCH, true));
    if (lot.once(3)) {
      with.add(
          controls.of(
              lot.pick(
                  List.of(
                      ControlType.MANAGE_DSA_IT,
                      ControlType.DONT_USE_COPY,
                      ControlType.ASSERTION,
                      ControlType.ACCOUNT_USABILITY,
                      ControlType.EFFECTIVE_RIGHTS)),
              true));
    }
    return asked(filters, lot.pick(List.of(DereferencePolicy.values())), with);
  }

  private Asked synchronization(BlindFilters filters) {
    byte[] value = new BerWriter().sequence(new BerWriter().enumerated(3)).toByteArray();
    return asked(
        filters,
        DereferencePolicy.NEVER,
        List.of(new Control(ControlType.SYNC_REQUEST.oid(), true, new ASN1OctetString(value))));
  }

  private Asked asked(BlindFilters filters, DereferencePolicy aliases, List<Control> with) {
    FilterNode filter = lot.once(2) ? new FilterNode.Present("objectClass") : filters.next(2);
    List<String> attributes = new ArrayList<>(lot.selection());
    attributes.remove("1.1");
    attributes.add("l");
    return Asked.of(
        OperationType.SEARCH,
        BlindRequests.search(
            base,
            lot.once(3) ? SearchScope.ONE : SearchScope.SUB,
            new FilterNode.Or(List.of(FENCES, filter)),
            aliases,
            0,
            false,
            attributes),
        with);
  }
}
