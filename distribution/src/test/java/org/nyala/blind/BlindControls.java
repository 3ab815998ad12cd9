package org.nyala.blind;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.PersistentSearch;
import org.nyala.core.filter.FilterWriter;

/**
 * Random controls: a new one does not compile before it is made here.
 *
 * <p>Confined to one thread.
 */
final class BlindControls {
  /** Attributes in an order that differs between servers: identifiers and times of their own. */
  private static final Set<String> DRAWN =
      Set.of("entryUUID", "createTimestamp", "modifyTimestamp");

  private final Lot lot;
  private final BlindFilters filters;
  private final Map<ControlType, Integer> made = new EnumMap<>(ControlType.class);

  BlindControls(Lot lot, BlindFilters filters) {
    this.lot = lot;
    this.filters = filters;
  }

  /** The kinds of controls made so far for operations that honour them. */
  Set<ControlType> made() {
    return made.isEmpty() ? EnumSet.noneOf(ControlType.class) : EnumSet.copyOf(made.keySet());
  }

  void count(ControlType type) {
    made.merge(type, 1, Integer::sum);
  }

  /** Returns at most three controls, most of them such as an operation honours. */
  List<Control> some(Collection<ControlType> honoured, Set<ControlType> without) {
    Set<ControlType> types = EnumSet.noneOf(ControlType.class);
    if (!lot.once(3)) {
      for (int i = lot.random.nextInt(3); i >= 0; i--) {
        types.add(lot.pick(List.copyOf(EnumSet.copyOf(honoured))));
      }
    }
    if (lot.once(8)) {
      types.add(lot.pick(List.of(ControlType.values())));
    }
    types.removeAll(without);
    if (types.contains(ControlType.VIRTUAL_LIST_VIEW) && lot.random.nextInt(5) > 0) {
      types.add(ControlType.SORT);
    }
    List<Control> controls = new ArrayList<>();
    for (ControlType type : types) {
      if (honoured.contains(type)) {
        count(type);
      }
      controls.add(of(type, type == ControlType.PROXIED_AUTHORIZATION || lot.once(2)));
    }
    return controls;
  }

  Control of(ControlType type, boolean isCritical) {
    byte[] value = value(type);
    return new Control(type.oid(), isCritical, value == null ? null : new ASN1OctetString(value));
  }

  private byte @Nullable [] value(ControlType type) {
    return switch (type) {
      case MANAGE_DSA_IT,
          AUTHORIZATION_IDENTITY,
          DONT_USE_COPY,
          TREE_DELETE,
          PERMISSIVE_MODIFY,
          NO_OP,
          RELAX_RULES,
          PASSWORD_POLICY,
          ACCOUNT_USABILITY,
          EXPLAIN ->
          null;
      case SUBENTRIES -> new BerWriter().bool(lot.once(2)).toByteArray();
      case PAGED_RESULTS -> sequence(new BerWriter().integer(lot.random.nextInt(5)).text(""));
      case SORT -> sortKeys();
      case VIRTUAL_LIST_VIEW -> view();
      case ASSERTION -> FilterWriter.encode(filters.next(2));
      case PRE_READ, POST_READ -> sequence(texts(lot.selection()));
      case MATCHED_VALUES -> matched();
      case PROXIED_AUTHORIZATION ->
          (lot.once(6) ? lot.pick(List.of("", "u:ann", "dn:")) : "dn:" + lot.name())
              .getBytes(UTF_8);
      case TRANSACTION -> new byte[] {1};
      case PERSISTENT_SEARCH -> standing();
      case SYNC_REQUEST -> sequence(new BerWriter().enumerated(1));
      case EFFECTIVE_RIGHTS -> effective();
      case DEREFERENCE -> dereferenced();
      case SESSION_TRACKING ->
          sequence(new BerWriter().text("192.0.2.1").text("app").text("1.2.3.4").text("ann"));
    };
  }

  private static byte[] sequence(BerWriter content) {
    return new BerWriter().sequence(content).toByteArray();
  }

  private static BerWriter texts(List<String> texts) {
    BerWriter writer = new BerWriter();
    texts.forEach(writer::text);
    return writer;
  }

  private byte[] sortKeys() {
    BerWriter keys = new BerWriter();
    for (int i = lot.random.nextInt(2); i >= 0; i--) {
      String attribute = lot.attribute();
      BerWriter key = new BerWriter().text(DRAWN.contains(attribute) ? "title" : attribute);
      keys.sequence(lot.once(2) ? key.bool(0x81, true) : key);
    }
    return sequence(keys);
  }

  private byte[] view() {
    BerWriter view = new BerWriter().integer(lot.random.nextInt(3)).integer(lot.random.nextInt(4));
    return sequence(
        lot.once(3)
            ? view.text(0x81, lot.value("title"))
            : view.constructed(
                0xa0,
                new BerWriter().integer(lot.random.nextInt(8)).integer(lot.random.nextInt(9))));
  }

  private byte[] matched() {
    BerWriter items = new BerWriter();
    for (int i = lot.random.nextInt(3); i >= 0; i--) {
      items.raw(FilterWriter.encode(filters.item()));
    }
    return sequence(items);
  }

  private byte[] standing() {
    int types = lot.once(2) ? 15 : PersistentSearch.MODIFY | lot.random.nextInt(16);
    return sequence(new BerWriter().integer(types).bool(lot.once(2)).bool(!lot.once(3)));
  }

  private byte @Nullable [] effective() {
    String subject = "dn:" + (lot.once(3) ? "" : lot.name());
    return switch (lot.random.nextInt(3)) {
      case 0 -> null;
      case 1 -> subject.getBytes(UTF_8);
      default ->
          sequence(new BerWriter().text(subject).sequence(texts(lot.some(3, lot::attribute))));
    };
  }

  private byte[] dereferenced() {
    BerWriter all = new BerWriter();
    for (String each : lot.once(2) ? List.of("member", "manager") : List.of("member")) {
      String name = lot.once(5) ? lot.attribute() : each;
      List<String> wanted = new ArrayList<>(lot.some(3, lot::attribute));
      wanted.add("cn");
      all.sequence(new BerWriter().text(name).sequence(texts(wanted)));
    }
    return sequence(all);
  }
}
