package org.nyala.netty.codec;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.directory.api.ldap.model.entry.Attribute;
import org.apache.directory.api.ldap.model.entry.Entry;
import org.apache.directory.api.ldap.model.entry.Modification;
import org.apache.directory.api.ldap.model.entry.Value;
import org.apache.directory.api.ldap.model.filter.AndNode;
import org.apache.directory.api.ldap.model.filter.ApproximateNode;
import org.apache.directory.api.ldap.model.filter.BranchNode;
import org.apache.directory.api.ldap.model.filter.EqualityNode;
import org.apache.directory.api.ldap.model.filter.ExprNode;
import org.apache.directory.api.ldap.model.filter.ExtensibleNode;
import org.apache.directory.api.ldap.model.filter.GreaterEqNode;
import org.apache.directory.api.ldap.model.filter.LessEqNode;
import org.apache.directory.api.ldap.model.filter.NotNode;
import org.apache.directory.api.ldap.model.filter.OrNode;
import org.apache.directory.api.ldap.model.filter.PresenceNode;
import org.apache.directory.api.ldap.model.filter.SubstringNode;
import org.apache.directory.api.ldap.model.message.AbandonRequest;
import org.apache.directory.api.ldap.model.message.AddRequest;
import org.apache.directory.api.ldap.model.message.BindRequest;
import org.apache.directory.api.ldap.model.message.CompareRequest;
import org.apache.directory.api.ldap.model.message.DeleteRequest;
import org.apache.directory.api.ldap.model.message.Message;
import org.apache.directory.api.ldap.model.message.ModifyDnRequest;
import org.apache.directory.api.ldap.model.message.ModifyRequest;
import org.apache.directory.api.ldap.model.message.OpaqueExtendedRequest;
import org.apache.directory.api.ldap.model.message.SearchRequest;
import org.apache.directory.api.ldap.model.message.UnbindRequest;
import org.apache.directory.api.ldap.model.name.Dn;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.Scope;

/** Requests made of the messages of the Apache codec, which has parsed no name in them. */
final class ApacheRequests {
  private static final int LDAP_VERSION = 3;
  private static final int REQUEST_NAME = 0x80;
  private static final byte[] NOTHING = {};
  private static final Scope[] SCOPES = Scope.values();
  private static final DerefAliases[] DEREF_ALIASES = DerefAliases.values();

  private ApacheRequests() {}

  /**
   * Returns the request; null if the codec has merged attributes or values of it.
   *
   * @param form the form of the request, with the numbers of its attributes and values
   * @param in a reader before its operation
   * @param envelope the message around it
   */
  static @Nullable Request of(Message message, PlainForm form, BerReader in, Envelope envelope)
      throws InvalidBerException {
    List<RequestControl> controls = envelope.controls();
    int id = message.getMessageId();
    return switch (message) {
      case SearchRequest search -> search(id, search, controls, form);
      case BindRequest bind -> bind(id, bind, controls);
      case AddRequest add -> add(id, add, controls, form, in);
      case ModifyRequest modify -> modify(id, modify, controls, form);
      case DeleteRequest delete -> new Request.Delete(id, delete.getName().getName(), controls);
      case ModifyDnRequest rename -> modifyDn(id, rename, controls);
      case CompareRequest compare ->
          new Request.Compare(
              id,
              compare.getName().getName(),
              compare.getAttributeId(),
              octets(compare.getAssertionValue()),
              controls);
      case OpaqueExtendedRequest extended ->
          extended(id, extendedName(in), extended.getRequestValue(), envelope);
      case AbandonRequest abandon -> new Request.Abandon(id, abandon.getAbandoned(), controls);
      case UnbindRequest _ -> new Request.Unbind(id, controls);
      default -> throw new IllegalArgumentException("not a request");
    };
  }

  private static Request extended(int id, String name, byte @Nullable [] value, Envelope envelope) {
    return new Request.Extended(id, name, value, envelope.controls(), envelope.budgetOf(value));
  }

  /** The codec loses the name of an operation that it does not know. */
  private static String extendedName(BerReader in) throws InvalidBerException {
    in.enter(LdapTags.EXTENDED_REQUEST);
    return in.text(REQUEST_NAME);
  }

  private static @Nullable Request search(
      int id, SearchRequest search, List<RequestControl> controls, PlainForm form) {
    List<String> attributes = search.getAttributes();
    if (attributes.size() != form.attributes()) {
      return null;
    }
    return new Request.Search(
        id,
        search.getBase().getName(),
        SCOPES[search.getScope().getScope()],
        DEREF_ALIASES[search.getDerefAliases().getValue()],
        (int) search.getSizeLimit(),
        search.getTimeLimit(),
        search.getTypesOnly(),
        ApacheFilters.of(search.getFilter()),
        List.copyOf(attributes),
        controls);
  }

  /** The form has checked the version, which the codec reduces to a Boolean. */
  private static Request bind(int id, BindRequest bind, List<RequestControl> controls) {
    String mechanism = bind.isSimple() ? null : bind.getSaslMechanism();
    byte[] credentials = bind.getCredentials();
    return new Request.Bind(
        id,
        LDAP_VERSION,
        bind.getName(),
        mechanism,
        credentials == null ? NOTHING : credentials,
        controls);
  }

  /** The codec loses the order of the attributes, which the bytes have. */
  private static @Nullable Request add(
      int id, AddRequest add, List<RequestControl> controls, PlainForm form, BerReader in)
      throws InvalidBerException {
    Entry entry = add.getEntry();
    in.enter(LdapTags.ADD_REQUEST);
    in.skip(LdapTags.OCTET_STRING);
    in.enter(LdapTags.SEQUENCE);
    List<String> names = in.list(form.attributes(), "attributes", ApacheRequests::attributeName);
    List<Request.AttributeValues> attributes = new ArrayList<>(names.size());
    int values = 0;
    for (String name : names) {
      Attribute attribute = entry.get(name);
      if (attribute == null) {
        return null;
      }
      attributes.add(attribute(attribute));
      values += attribute.size();
    }
    return entry.size() == form.attributes() && values == form.values()
        ? new Request.Add(id, add.getEntryDn().getName(), List.copyOf(attributes), controls)
        : null;
  }

  private static String attributeName(BerReader in) throws InvalidBerException {
    int outer = in.enter(LdapTags.SEQUENCE);
    String name = in.text();
    in.skip(LdapTags.SET);
    in.leave(outer);
    return name;
  }

  private static @Nullable Request modify(
      int id, ModifyRequest modify, List<RequestControl> controls, PlainForm form) {
    List<Request.Change> changes = new ArrayList<>(form.attributes());
    int values = 0;
    for (Modification each : modify.getModifications()) {
      Attribute attribute = each.getAttribute();
      changes.add(new Request.Change(each.getOperation().getValue(), attribute(attribute)));
      values += attribute.size();
    }
    return changes.size() == form.attributes() && values == form.values()
        ? new Request.Modify(id, modify.getName().getName(), List.copyOf(changes), controls)
        : null;
  }

  private static Request.AttributeValues attribute(Attribute attribute) {
    List<byte[]> values = new ArrayList<>(attribute.size());
    for (Value value : attribute) {
      values.add(octets(value));
    }
    return new Request.AttributeValues(attribute.getUpId(), List.copyOf(values));
  }

  private static Request modifyDn(int id, ModifyDnRequest rename, List<RequestControl> controls) {
    Dn superior = rename.getNewSuperior();
    return new Request.ModifyDn(
        id,
        rename.getName().getName(),
        rename.getNewRdn().getName(),
        rename.getDeleteOldRdn(),
        superior == null ? null : superior.getName(),
        controls);
  }

  /** Returns the octets of a value; the codec has none of an empty one. */
  static byte[] octets(@Nullable Value value) {
    byte[] octets = value == null ? null : value.getBytes();
    return octets == null ? NOTHING : octets;
  }

  /** Filters made of those of the Apache codec. */
  private static final class ApacheFilters {
    private ApacheFilters() {}

    /** Returns the same filter as the codec's. */
    static FilterNode of(ExprNode node) {
      return switch (node) {
        case AndNode and -> new FilterNode.And(children(and));
        case OrNode or -> new FilterNode.Or(children(or));
        case NotNode not -> new FilterNode.Not(of(not.getFirstChild()));
        case PresenceNode f -> new FilterNode.Present(f.getAttribute());
        case SubstringNode f -> substrings(f);
        case ExtensibleNode f ->
            new FilterNode.Extensible(
                f.getMatchingRuleId(),
                f.getAttribute(),
                ApacheRequests.octets(f.getValue()),
                f.hasDnAttributes());
        case EqualityNode<?> f ->
            new FilterNode.Equality(f.getAttribute(), ApacheRequests.octets(f.getValue()));
        case GreaterEqNode<?> f ->
            new FilterNode.GreaterOrEqual(f.getAttribute(), ApacheRequests.octets(f.getValue()));
        case LessEqNode<?> f ->
            new FilterNode.LessOrEqual(f.getAttribute(), ApacheRequests.octets(f.getValue()));
        case ApproximateNode<?> f ->
            new FilterNode.Approximate(f.getAttribute(), ApacheRequests.octets(f.getValue()));
        default -> throw new IllegalArgumentException("not a filter");
      };
    }

    private static List<FilterNode> children(BranchNode node) {
      List<FilterNode> children = new ArrayList<>(4);
      for (ExprNode child : node.getChildren()) {
        children.add(of(child));
      }
      return children;
    }

    // The checker does not see the annotations of a compact constructor's arrays in class files.
    @SuppressWarnings("NullAway")
    private static FilterNode substrings(SubstringNode node) {
      List<byte[]> any = new ArrayList<>(2);
      for (String piece : node.getAny()) {
        any.add(piece.getBytes(StandardCharsets.UTF_8));
      }
      return new FilterNode.Substrings(
          node.getAttribute(), utf8(node.getInitial()), any, utf8(node.getFinal()));
    }

    private static byte @Nullable [] utf8(@Nullable String text) {
      return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }
  }
}
