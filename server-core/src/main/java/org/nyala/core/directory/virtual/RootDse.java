package org.nyala.core.directory.virtual;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/** The entry without a name that lists the abilities of the server (RFC 4512, section 5.1). */
public final class RootDse {
  /**
   * All operational attributes (RFC 3673), attributes by object class (RFC 4529), absolute filters
   * (RFC 4526), language tags and ranges (RFC 3866), increments (RFC 4525).
   */
  public static final List<String> FEATURES =
      List.of(
          "1.3.6.1.4.1.4203.1.5.1",
          "1.3.6.1.4.1.4203.1.5.2",
          "1.3.6.1.4.1.4203.1.5.3",
          "1.3.6.1.4.1.4203.1.5.4",
          "1.3.6.1.4.1.4203.1.5.5",
          "1.3.6.1.1.14");

  private static final String STRUCTURAL_CLASS = "OpenLDAProotDSE";
  private static final String VENDOR = "Nyala";
  private static final String UNPACKED_VERSION = "development";

  private RootDse() {}

  static Entry of(
      Schema schema,
      Capabilities capabilities,
      List<Dn> namingContexts,
      Set<SaslMechanism> mechanisms) {
    Entry entry = new Entry(Dn.EMPTY);
    // Clients look for slapd's class before they read the schema.
    add(schema, entry, "objectClass", List.of("top", STRUCTURAL_CLASS));
    add(schema, entry, "structuralObjectClass", List.of(STRUCTURAL_CLASS));
    List<String> contexts = namingContexts.stream().map(Dn::toString).toList();
    add(schema, entry, "namingContexts", contexts);
    capabilities.further().forEach((name, values) -> add(schema, entry, name, values));
    add(schema, entry, "supportedControl", capabilities.controls());
    add(schema, entry, "supportedExtension", capabilities.extensions());
    add(schema, entry, "supportedFeatures", FEATURES);
    add(schema, entry, "supportedLDAPVersion", List.of("3"));
    add(
        schema,
        entry,
        "supportedSASLMechanisms",
        mechanisms.stream().map(SaslMechanism::label).toList());
    VirtualAttributes.addSubschema(schema, entry);
    add(schema, entry, "vendorName", List.of(VENDOR));
    add(schema, entry, "vendorVersion", List.of(VENDOR + ' ' + version()));
    return entry;
  }

  private static String version() {
    String version = RootDse.class.getPackage().getImplementationVersion();
    return version == null ? UNPACKED_VERSION : version;
  }

  /** Adds an attribute, unless it has no values or the schema in force does not know it. */
  public static void add(Schema schema, Entry entry, String name, Iterable<String> values) {
    AttributeType type = schema.attributeType(name);
    if (type != null) {
      for (String value : values) {
        entry.add(AttributeDescription.of(type), value.getBytes(StandardCharsets.UTF_8));
      }
    }
  }
}
