package org.nyala.attack;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import org.nyala.attack.RepeatedElements.Variant;
import org.nyala.attack.Requests.Search;
import org.nyala.core.control.ControlType;
import org.nyala.core.filter.FilterWriter;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.operation.RequestKinds;
import org.nyala.core.operation.SampleControls;
import org.nyala.core.operation.SampleExtensions;
import org.nyala.core.sasl.SaslMechanism;

/**
 * The largest and the most repetitive requests that there can be, derived from the server's own
 * lists: of operations, controls, extended operations, SASL mechanisms and kinds of filters.
 *
 * <p>Immutable.
 */
final class LargestRequests {
  /** The sizes of their large part: of a thousand elements, of a stranger, of users. */
  private static final int[] SIZES = {8_000, 60_000, 4 << 20, 15 << 20};

  private static final int STRANGERS_BYTES = 65_000;
  private static final int OWN_MESSAGES = 32;
  private static final int MOST_PARTS = 4_000;
  private static final int SEQUENCE_OF_CONTROLS = 0xa0;
  private static final byte[] VALUE = {'x'};

  /**
   * A kind of request, in all of its forms.
   *
   * @param kind the item of the server's list that it is about
   */
  record Family(String kind, List<Form> forms) {}

  /**
   * A request that can have any size.
   *
   * @param name its place
   * @param treatment the element that is repeated or prolonged
   * @param message returns it with a message ID and about a number of bytes in its large part
   */
  record Form(String name, String treatment, BiFunction<Integer, Integer, byte[]> message) {
    Generated ofBytes(int bytes) {
      return new Generated(
          name + ' ' + treatment + " of " + bytes, bytes, id -> message.apply(id, bytes));
    }
  }

  /** A request of one size; encoded anew each time, because it may have megabytes. */
  record Generated(String name, int bytes, IntFunction<byte[]> message) {
    boolean isOfUsers() {
      return bytes > STRANGERS_BYTES - 2_000;
    }
  }

  private LargestRequests() {}

  /** Returns the families of everything that is supported. */
  static List<Family> families() {
    List<Family> all = new ArrayList<>();
    for (Request kind : RequestKinds.all()) {
      if (!(kind instanceof Request.Extended)) {
        all.add(operation(kind));
      }
    }
    for (ControlType type : ControlType.values()) {
      all.add(control(type));
    }
    for (String oid : SampleExtensions.oids()) {
      all.add(extension(oid));
    }
    for (SaslMechanism mechanism : SaslMechanism.values()) {
      all.add(mechanism(mechanism));
    }
    for (int i = 0; i < kindsOfFilters("cn", VALUE).size(); i++) {
      all.add(filters(i));
    }
    return all;
  }

  /**
   * Returns some requests of each family: each treatment of each element once, with a random size,
   * in a random operation, up to a number of them.
   */
  static List<Generated> some(Random random, int ofEach) {
    List<Generated> some = new ArrayList<>();
    for (Family family : families()) {
      Map<String, List<Form>> treatments = new TreeMap<>();
      for (Form form : family.forms()) {
        treatments.computeIfAbsent(form.treatment(), _ -> new ArrayList<>()).add(form);
      }
      List<List<Form>> choices = new ArrayList<>(treatments.values());
      Collections.shuffle(choices, random);
      for (List<Form> forms : choices.subList(0, Math.min(ofEach, choices.size()))) {
        Form form = forms.get(random.nextInt(forms.size()));
        some.add(form.ofBytes(SIZES[random.nextInt(SIZES.length)]));
      }
    }
    return some;
  }

  private static Family operation(Request kind) {
    String name = kind.getClass().getSimpleName();
    byte[] operation = sampleOf(kind);
    List<Form> forms = new ArrayList<>();
    if (operation[1] < 0) {
      throw new AssertionError("the sample of " + name + " is too long");
    }
    byte[] content = Arrays.copyOfRange(operation, 2, operation.length);
    int tag = operation[0] & 0xff;
    for (Variant each : RepeatedElements.of(content)) {
      forms.add(
          new Form(
              name,
              each.name(),
              (id, bytes) -> Requests.message(id, Ber.of(tag, each.ofBytes().apply(bytes)))));
    }
    byte[] control = controlOf("1.2.3", false, null);
    forms.add(
        new Form(
            name,
            "controls",
            (id, bytes) ->
                withControls(
                    id, operation, Ber.times(Math.max(1, bytes / control.length), control))));
    return new Family("operation " + name, forms);
  }

  /** Returns a small request of the kind, without message ID. A new operation needs one here. */
  private static byte[] sampleOf(Request kind) {
    String entry = "cn=generated,ou=People," + Login.SUFFIX;
    byte[] name = Ber.text(Ber.STRING, entry);
    return switch (kind) {
      case Request.Search _ -> search(Login.of(7).dn(), Requests.equal("cn", "x"));
      case Request.Bind _ ->
          Ber.of(
              0x60,
              Ber.number(Ber.INTEGER, 3),
              Ber.text(Ber.STRING, entry),
              Ber.text(0x80, "wrong"));
      case Request.Unbind _ -> new byte[] {0x42, 0};
      case Request.Compare _ ->
          Ber.of(
              0x6e,
              name,
              Ber.of(Ber.SEQUENCE, Ber.text(Ber.STRING, "cn"), Ber.text(Ber.STRING, "x")));
      case Request.Abandon _ -> Ber.number(0x50, OWN_MESSAGES + 1);
      case Request.Add _ ->
          Ber.of(0x68, name, Ber.of(Ber.SEQUENCE, attribute("cn"), attribute("sn")));
      case Request.Delete _ -> Ber.text(0x4a, entry);
      case Request.Modify _ ->
          Ber.of(
              0x66,
              Ber.text(Ber.STRING, Login.of(7).dn()),
              Ber.of(
                  Ber.SEQUENCE,
                  Ber.of(Ber.SEQUENCE, Ber.number(Ber.ENUMERATED, 2), attribute("description"))));
      case Request.ModifyDn _ ->
          Ber.of(0x6c, name, Ber.text(Ber.STRING, "cn=g"), Ber.flag(Ber.BOOLEAN, true));
      case Request.Extended _ -> Ber.of(0x77, Ber.text(0x80, "1.3.6.1.4.1.4203.1.11.3"));
    };
  }

  private static byte[] search(String base, byte[] filter) {
    return Ber.of(
        0x63,
        Ber.text(Ber.STRING, base),
        Ber.number(Ber.ENUMERATED, 0),
        Ber.number(Ber.ENUMERATED, 0),
        Ber.number(Ber.INTEGER, 0),
        Ber.number(Ber.INTEGER, 0),
        Ber.flag(Ber.BOOLEAN, false),
        filter,
        Ber.of(Ber.SEQUENCE, Ber.text(Ber.STRING, "cn"), Ber.text(Ber.STRING, "memberOf")));
  }

  private static byte[] attribute(String type) {
    return Ber.of(
        Ber.SEQUENCE, Ber.text(Ber.STRING, type), Ber.of(Ber.SET, Ber.text(Ber.STRING, "g")));
  }

  private static byte[] controlOf(String oid, boolean isCritical, byte[] value) {
    byte[] critical = isCritical ? Ber.flag(Ber.BOOLEAN, true) : new byte[0];
    byte[] octets = value == null ? new byte[0] : Ber.of(Ber.STRING, value);
    return Ber.of(Ber.SEQUENCE, Ber.text(Ber.STRING, oid), critical, octets);
  }

  private static byte[] withControls(int id, byte[] operation, byte[] controls) {
    return Ber.of(
        Ber.SEQUENCE,
        Ber.number(Ber.INTEGER, id),
        operation,
        Ber.of(SEQUENCE_OF_CONTROLS, controls));
  }

  private static Family control(ControlType type) {
    List<Form> forms = new ArrayList<>();
    byte[] sample = SampleControls.value(type);
    for (Request kind : RequestKinds.all()) {
      if (SampleControls.honouredBy(kind).contains(type)) {
        byte[] operation = sampleOf(kind);
        String name = type + " on " + kind.getClass().getSimpleName();
        for (Variant each : RepeatedElements.of(sample == null ? VALUE : sample)) {
          forms.add(
              new Form(
                  name,
                  each.name(),
                  (id, bytes) ->
                      withControls(
                          id,
                          operation,
                          controlOf(type.oid(), true, each.ofBytes().apply(bytes)))));
        }
        for (FilterNode leaf : kindsOfFilters("cn", VALUE)) {
          addFilters(forms, name, leaf, type, operation);
        }
      }
    }
    return new Family("control " + type, forms);
  }

  /** Adds values that are filters, or lists of them, in case the control has such. */
  private static void addFilters(
      List<Form> forms, String name, FilterNode leaf, ControlType type, byte[] operation) {
    byte[] item = FilterWriter.encode(leaf);
    for (int tag : new int[] {0xa1, Ber.SEQUENCE}) {
      forms.add(
          new Form(
              name,
              "filters of " + leaf.getClass().getSimpleName(),
              (id, bytes) ->
                  withControls(
                      id,
                      operation,
                      controlOf(
                          type.oid(),
                          true,
                          Ber.of(tag, Ber.times(Math.max(1, bytes / item.length), item))))));
    }
  }

  private static Family extension(String oid) {
    List<Form> forms = new ArrayList<>();
    byte[] sample = SampleExtensions.value(oid);
    for (Variant each : RepeatedElements.of(sample == null ? VALUE : sample)) {
      forms.add(
          new Form(
              oid,
              each.name(),
              (id, bytes) ->
                  Requests.message(
                      id,
                      Ber.of(
                          0x77, Ber.text(0x80, oid), Ber.of(0x81, each.ofBytes().apply(bytes))))));
    }
    return new Family("extension " + oid, forms);
  }

  private static Family mechanism(SaslMechanism mechanism) {
    List<Form> forms = new ArrayList<>();
    for (String sample : List.of(credentials(mechanism), ",", "=", "\0", "n,,")) {
      for (Variant each : RepeatedElements.of(sample.getBytes(UTF_8))) {
        forms.add(
            new Form(
                mechanism.label(),
                each.name(),
                (id, bytes) ->
                    Requests.message(
                        id, saslBind(mechanism.label(), each.ofBytes().apply(bytes)))));
      }
      byte[] one = sample.getBytes(UTF_8);
      forms.add(
          new Form(
              mechanism.label(),
              "repeated",
              (id, bytes) ->
                  Requests.message(
                      id,
                      saslBind(
                          mechanism.label(), Ber.times(Math.max(1, bytes / one.length), one)))));
    }
    return new Family("mechanism " + mechanism, forms);
  }

  private static byte[] saslBind(String mechanism, byte[] credentials) {
    return Ber.of(
        0x60,
        Ber.number(Ber.INTEGER, 3),
        Ber.text(Ber.STRING, ""),
        Ber.of(0xa3, Ber.text(Ber.STRING, mechanism), Ber.of(Ber.STRING, credentials)));
  }

  /** Returns the beginning of an exchange. A new mechanism needs one here. */
  private static String credentials(SaslMechanism mechanism) {
    return switch (mechanism) {
      case EXTERNAL -> "dn:cn=a";
      case PLAIN -> "\0user.7\0wrong";
      case SCRAM_SHA_256, SCRAM_SHA_512 -> "n,,n=user.7,r=0123456789abcdef";
      case SCRAM_SHA_256_PLUS, SCRAM_SHA_512_PLUS -> "p=tls-exporter,,n=user.7,r=0123456789abcdef";
      case GSSAPI -> "\u0060\u0010\u0006\u0009";
    };
  }

  /** Returns a filter of each kind that has no parts, some of them in several forms. */
  static List<FilterNode> kindsOfFilters(String attribute, byte[] value) {
    return List.of(
        new FilterNode.Equality(attribute, value),
        new FilterNode.Substrings(attribute, value, List.of(value, value), value),
        new FilterNode.GreaterOrEqual(attribute, value),
        new FilterNode.LessOrEqual(attribute, value),
        new FilterNode.Present(attribute),
        new FilterNode.Approximate(attribute, value),
        new FilterNode.Extensible("caseIgnoreMatch", attribute, value, false),
        new FilterNode.Extensible("caseIgnoreMatch", null, value, false),
        new FilterNode.Extensible("2.5.13.30", null, value, true),
        new FilterNode.Extensible(null, attribute, value, true),
        new FilterNode.And(List.of(new FilterNode.Present(attribute))),
        new FilterNode.Or(List.of(new FilterNode.Present(attribute))),
        new FilterNode.Not(new FilterNode.Present(attribute)));
  }

  /** Returns searches with equal and with different parts of one kind, for each attribute. */
  private static Family filters(int index) {
    List<Form> forms = new ArrayList<>();
    String kind = kindsOfFilters("cn", VALUE).get(index).getClass().getSimpleName() + ' ' + index;
    for (String attribute : RandomSearches.ATTRIBUTES) {
      for (String base : List.of(Login.SUFFIX, "cn=Subschema", Login.hostile("large").dn())) {
        int scope = base.equals(Login.SUFFIX) ? Requests.SUBTREE : Requests.BASE;
        String name = kind + " of " + attribute + " at " + base;
        IntFunction<byte[]> part =
            i ->
                FilterWriter.encode(
                    kindsOfFilters(attribute, ("v" + i).getBytes(UTF_8)).get(index));
        byte[] same = part.apply(0);
        forms.add(
            new Form(
                name,
                "same",
                (id, bytes) ->
                    Search.of(base, scope, Requests.or(Ber.times(count(bytes, same), same)))
                        .message(id, "1.1")));
        forms.add(
            new Form(
                name,
                "distinct",
                (id, bytes) ->
                    Search.of(
                            base,
                            scope,
                            Requests.and(
                                Requests.not(
                                    Requests.or(Requests.each(count(bytes, same) - 5, part))),
                                Requests.present("cn")))
                        .message(id, "memberOf")));
      }
    }
    return new Family("filter " + kind, forms);
  }

  private static int count(int bytes, byte[] part) {
    int parts = part[0] == (byte) 0xa0 || part[0] == (byte) 0xa1 || part[0] == (byte) 0xa2 ? 2 : 1;
    return Math.clamp(bytes / (part.length + 4), 8, MOST_PARTS / parts);
  }
}
