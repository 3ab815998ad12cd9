package org.nyala.core.control;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.LdapOperationException;

/**
 * The value of the dereference control (draft-masarati-ldap-deref-00, section 2.2): the attributes
 * whose values name other entries, each with what is wanted of these.
 *
 * <p>Immutable.
 *
 * @param specs the attributes, at least one
 */
public record DereferenceRequest(List<Spec> specs) {
  /**
   * One attribute, as the client named it.
   *
   * <p>Immutable.
   *
   * @param attribute an attribute description
   * @param wanted the descriptions of the attributes wanted of the named entries, at least one
   */
  public record Spec(String attribute, List<String> wanted) {
    public Spec {
      wanted = List.copyOf(wanted);
    }
  }

  public DereferenceRequest {
    specs = List.copyOf(specs);
  }

  /**
   * Reads the control of a request; null if it has none.
   *
   * @param mostSpecs the attributes to dereference
   * @param mostWanted the attributes wanted, of all specifications together
   * @throws LdapOperationException protocolError for a value that is not one, adminLimitExceeded
   *     for too many attributes
   */
  public static @Nullable DereferenceRequest of(
      RequestControls controls, int mostSpecs, int mostWanted) throws LdapOperationException {
    return controls.decode(ControlType.DEREFERENCE, value -> decode(value, mostSpecs, mostWanted));
  }

  private static DereferenceRequest decode(BerReader value, int mostSpecs, int mostWanted)
      throws InvalidBerException {
    int[] left = {mostWanted};
    List<Spec> specs =
        value
            .sequence()
            .list(mostSpecs, "attributes to dereference", in -> spec(in.sequence(), left));
    if (specs.isEmpty()) {
      throw new InvalidBerException("no attribute to dereference");
    }
    return new DereferenceRequest(specs);
  }

  private static Spec spec(BerReader in, int[] left) throws InvalidBerException {
    String attribute = in.text();
    List<String> wanted =
        in.sequence().list(left[0], "attributes of dereferenced entries", BerReader::text);
    left[0] -= wanted.size();
    if (wanted.isEmpty()) {
      throw new InvalidBerException("no attribute of the dereferenced entries requested");
    }
    in.requireEnd();
    return new Spec(attribute, wanted);
  }
}
