package org.nyala.netty.codec;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.directory.api.ldap.codec.api.LdapApiService;
import org.apache.directory.api.ldap.codec.osgi.DefaultLdapCodecService;

/** The Apache Directory LDAP codec, as the server uses it. */
public final class ApacheRequestDecoder {
  private ApacheRequestDecoder() {}

  /**
   * Returns the codec without its control and extended operation decoders: their values stay bytes
   * until they are used.
   */
  public static LdapApiService service() {
    DefaultLdapCodecService service = new DefaultLdapCodecService();
    for (String oid : copy(service.registeredRequestControls())) {
      service.unregisterRequestControl(oid);
    }
    for (String oid : copy(service.registeredExtendedRequests())) {
      service.unregisterExtendedRequest(oid);
    }
    return service;
  }

  private static List<String> copy(Iterator<String> names) {
    List<String> copy = new ArrayList<>();
    names.forEachRemaining(copy::add);
    return copy;
  }
}
