package org.nyala.blind;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1Element;
import com.unboundid.asn1.ASN1Exception;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.protocol.AbandonRequestProtocolOp;
import com.unboundid.ldap.protocol.AddRequestProtocolOp;
import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.CompareRequestProtocolOp;
import com.unboundid.ldap.protocol.DeleteRequestProtocolOp;
import com.unboundid.ldap.protocol.ExtendedRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyDNRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyRequestProtocolOp;
import com.unboundid.ldap.protocol.ProtocolOp;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.protocol.UnbindRequestProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchScope;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.control.ControlType;
import org.nyala.core.filter.FilterWriter;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.OperationType;
import org.nyala.core.operation.SampleControls;
import org.nyala.core.operation.extended.ExtendedOperation;
import org.nyala.core.operation.update.AddOperation;
import org.nyala.core.operation.update.DeleteOperation;
import org.nyala.core.operation.update.ModifyDnOperation;
import org.nyala.core.operation.update.ModifyOperation;
import org.nyala.dynamic.RefreshOperation;

/**
 * Random requests: a new operation does not compile before it is made here.
 *
 * <p>Confined to one thread.
 */
final class BlindRequests {
  /** Controls by which searches do not end, or that need what other requests have answered. */
  static final Set<ControlType> OF_STEPS = EnumSet.of(ControlType.PERSISTENT_SEARCH);

  /** The operations Who am I?, Start Transaction, StartTLS, and an unknown one. */
  private static final List<String> WITHOUT_VALUE =
      List.of("1.3.6.1.4.1.4203.1.11.3", "1.3.6.1.1.21.1", "1.3.6.1.4.1.1466.20037", "1.2.3.4");

  static final List<String> EXTENDED =
      Stream.of(ExtendedOperation.OIDS, List.of(RefreshOperation.OID), WITHOUT_VALUE)
          .flatMap(List::stream)
          .distinct()
          .toList();

  private static final String PASSWORD_MODIFY = "1.3.6.1.4.1.4203.1.11.1";
  private static final String REFRESH = "1.3.6.1.4.1.1466.101.119.1";
  private static final String CANCEL = "1.3.6.1.1.8";
  private static final String END_TRANSACTION = "1.3.6.1.1.21.3";

  /** Attributes that are written. */
  private static final List<String> WRITTEN =
      List.of(
          "mail", "mail", "telephoneNumber", "title", "description", "sn", "cn", "member", "pager");

  /**
   * A request.
   *
   * @param inherent what it may tell of what is hidden; null for nothing
   */
  record Asked(
      OperationType type,
      ProtocolOp operation,
      List<Control> controls,
      @Nullable Inherent inherent) {
    static Asked of(OperationType type, ProtocolOp operation, List<Control> controls) {
      return new Asked(type, operation, controls, null);
    }

    Asked with(Control control) {
      List<Control> all =
          new ArrayList<>(
              controls.stream().filter(each -> !each.getOID().equals(control.getOID())).toList());
      all.add(control);
      return new Asked(type, operation, all, inherent);
    }

    boolean has(ControlType type) {
      return controls.stream().anyMatch(each -> each.getOID().equals(type.oid()));
    }

    @Override
    public String toString() {
      return operation + "\n  controls " + controls;
    }
  }

  private final Lot lot;
  private final BlindFilters filters;
  private final BlindControls controls;

  BlindRequests(Lot lot, BlindFilters filters, BlindControls controls) {
    this.lot = lot;
    this.filters = filters;
    this.controls = controls;
  }

  Asked next(OperationType type) {
    return switch (type) {
      case SEARCH -> search();
      case COMPARE ->
          Asked.of(type, compare(), controls.some(EnumSet.allOf(ControlType.class), OF_STEPS));
      case ADD -> update(type, add(), AddOperation.CONTROLS);
      case DELETE ->
          update(type, new DeleteRequestProtocolOp(lot.name()), DeleteOperation.CONTROLS);
      case MODIFY -> update(type, modify(), ModifyOperation.CONTROLS);
      case MODIFY_DN -> update(type, rename(), ModifyDnOperation.CONTROLS);
      case EXTENDED -> extended(lot.pick(EXTENDED));
      case BIND -> Asked.of(type, bind(), controls.some(AccountControl.BIND_CONTROLS, OF_STEPS));
      case ABANDON ->
          Asked.of(type, new AbandonRequestProtocolOp(1 + lot.random.nextInt(99)), List.of());
      case UNBIND -> Asked.of(type, new UnbindRequestProtocolOp(), List.of());
    };
  }

  private Asked search() {
    List<Control> with = controls.some(SampleControls.ofSearches(), OF_STEPS);
    Asked asked =
        Asked.of(
            OperationType.SEARCH,
            search(
                lot.name(),
                lot.pick(List.of(SearchScope.values())),
                filters.next(3),
                lot.pick(List.of(DereferencePolicy.values())),
                lot.once(4) ? 1 + lot.random.nextInt(4) : 0,
                lot.once(8),
                lot.selection()),
            with);
    return asked.has(ControlType.VIRTUAL_LIST_VIEW) ? unlisted(asked) : asked;
  }

  /** Makes a search one that no list was made for, which could be a moment old. */
  private Asked unlisted(Asked asked) {
    SearchRequestProtocolOp search = (SearchRequestProtocolOp) asked.operation();
    Filter unique = Filter.createEqualityFilter("cn", "list " + lot.random.nextLong());
    return Asked.of(
        asked.type(),
        new SearchRequestProtocolOp(
            search.getBaseDN(),
            search.getScope(),
            search.getDerefPolicy(),
            search.getSizeLimit(),
            0,
            search.typesOnly(),
            Filter.createORFilter(unique, search.getFilter()),
            search.getAttributes()),
        asked.controls());
  }

  static SearchRequestProtocolOp search(
      String base,
      SearchScope scope,
      FilterNode filter,
      DereferencePolicy aliases,
      int sizeLimit,
      boolean typesOnly,
      List<String> attributes) {
    return new SearchRequestProtocolOp(
        base, scope, aliases, sizeLimit, 0, typesOnly, filter(filter), attributes);
  }

  static Filter filter(FilterNode node) {
    try {
      return Filter.decode(ASN1Element.decode(FilterWriter.encode(node)));
    } catch (ASN1Exception | LDAPException e) {
      throw new AssertionError(e);
    }
  }

  private ProtocolOp compare() {
    String attribute = lot.attribute();
    return new CompareRequestProtocolOp(
        lot.name(), attribute, new ASN1OctetString(lot.value(attribute)));
  }

  private Asked update(OperationType type, ProtocolOp operation, Set<ControlType> honoured) {
    Inherent inherent = Inherent.of(operation);
    Set<ControlType> without = EnumSet.copyOf(OF_STEPS);
    without.add(ControlType.TRANSACTION);
    Asked asked = new Asked(type, operation, controls.some(honoured, without), inherent);
    boolean isKept = inherent != null || type == OperationType.MODIFY_DN && isNamed(operation);
    return isKept ? asked.with(controls.of(ControlType.NO_OP, true)) : asked;
  }

  /** Returns whether rules, or what is inherent, go by the name of an entry that is renamed. */
  private static boolean isNamed(ProtocolOp operation) {
    return operation instanceof ModifyDNRequestProtocolOp rename
        && Names.NAMED.contains(Names.canonical(rename.getDN()));
  }

  private ProtocolOp add() {
    String name = lot.once(2) ? lot.pick(Names.DESK_NAMES) : lot.name();
    String rdn = name.substring(0, Math.max(0, name.indexOf(',')));
    List<Attribute> attributes = new ArrayList<>();
    attributes.add(
        new Attribute(
            "objectClass", lot.pick(List.of("inetOrgPerson", "device", "groupOfNames", "alias"))));
    attributes.add(new Attribute("sn", "new"));
    attributes.add(new Attribute("cn", "new", rdn.replaceFirst(".*=", "").strip()));
    for (int i = lot.random.nextInt(3); i > 0; i--) {
      String attribute = lot.once(4) ? lot.attribute() : lot.pick(WRITTEN);
      attributes.add(new Attribute(attribute, lot.value(attribute)));
    }
    return new AddRequestProtocolOp(name, attributes);
  }

  private ProtocolOp modify() {
    List<Modification> modifications = new ArrayList<>();
    for (int i = lot.random.nextInt(3); i >= 0; i--) {
      String attribute = lot.once(4) ? lot.attribute() : lot.pick(WRITTEN);
      ModificationType type =
          lot.pick(
              List.of(
                  ModificationType.ADD,
                  ModificationType.ADD,
                  ModificationType.DELETE,
                  ModificationType.REPLACE,
                  ModificationType.INCREMENT));
      boolean isWhole = type != ModificationType.ADD && lot.once(3);
      modifications.add(
          isWhole
              ? new Modification(type, attribute)
              : new Modification(type, attribute, lot.value(attribute)));
    }
    String name = lot.once(3) ? lot.pick(Names.DESK_NAMES) : lot.name();
    return new ModifyRequestProtocolOp(name, modifications);
  }

  private ProtocolOp rename() {
    String name = lot.once(2) ? lot.pick(Names.DESK_NAMES) : lot.name();
    String other = lot.once(2) ? lot.pick(Names.DESK_NAMES) : lot.name();
    int comma = other.indexOf(',');
    String rdn = comma < 0 ? "cn=other" : other.substring(0, comma).strip();
    String parent = comma < 0 ? null : other.substring(comma + 1).strip();
    return new ModifyDNRequestProtocolOp(name, rdn, lot.once(2), lot.once(2) ? parent : null);
  }

  private Asked extended(String oid) {
    byte[] value =
        switch (oid) {
          case PASSWORD_MODIFY -> passwordModify();
          case REFRESH ->
              new BerWriter()
                  .sequence(new BerWriter().text(0x80, lot.name()).integer(0x81, 600))
                  .toByteArray();
          case CANCEL ->
              new BerWriter()
                  .sequence(new BerWriter().integer(1000 + lot.random.nextInt(99)))
                  .toByteArray();
          case END_TRANSACTION ->
              new BerWriter().sequence(new BerWriter().text("none")).toByteArray();
          default -> {
            assertThat(WITHOUT_VALUE).as("a new extended operation").contains(oid);
            yield null;
          }
        };
    ASN1OctetString octets = value == null ? null : new ASN1OctetString(value);
    return Asked.of(
        OperationType.EXTENDED,
        new ExtendedRequestProtocolOp(oid, octets),
        controls.some(
            EnumSet.of(ControlType.PROXIED_AUTHORIZATION, ControlType.PASSWORD_POLICY), OF_STEPS));
  }

  /** Asks for a password that the server generates, or leaves the password as it is. */
  private byte[] passwordModify() {
    BerWriter parts = new BerWriter();
    boolean isOwn = lot.once(3);
    if (!isOwn) {
      parts.text(0x80, lot.once(2) ? lot.pick(Names.DESK_NAMES) : lot.name());
    }
    if (lot.once(4)) {
      parts.text(0x81, lot.once(2) && isOwn ? "secret" : "wrong");
    }
    if (isOwn || lot.once(2)) {
      parts.text(0x82, "secret");
    }
    return new BerWriter().sequence(parts).toByteArray();
  }

  /** Tries a wrong password, also of a name that only one of the directories has. */
  private ProtocolOp bind() {
    String password = lot.pick(List.of("wrong", "wrong", ""));
    return switch (lot.random.nextInt(4)) {
      case 0 ->
          new BindRequestProtocolOp(
              "", "PLAIN", new ASN1OctetString("\0" + lot.name() + "\0" + "wrong"));
      case 1 ->
          new BindRequestProtocolOp(
              "", lot.pick(List.of("EXTERNAL", "NONE")), new ASN1OctetString());
      default -> new BindRequestProtocolOp(lot.name(), password);
    };
  }
}
