package org.nyala.loadtest.engine;

import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.workload.Patterns;

/**
 * Adds an entry below the people and deletes it, over and over, never twice with the same name.
 * Confined to the channel's event loop.
 */
final class AddDeleteClient extends PairClient {
  private long added;

  AddDeleteClient(LoadLoop loop, long seed, LoadConnection connection) {
    super(
        loop,
        seed,
        connection,
        loop.templates().add(),
        Pdu.ADD_RESPONSE,
        loop.templates().delete(),
        Pdu.DELETE_RESPONSE);
  }

  @Override
  int chooseNumber() {
    Patterns patterns = loop().settings().options().patterns();
    return patterns == null || patterns.entry() == null ? client() : chooseUser();
  }

  @Override
  long chooseStamp() {
    return added++;
  }
}
