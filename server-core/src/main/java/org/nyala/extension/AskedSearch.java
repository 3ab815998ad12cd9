package org.nyala.extension;

import org.nyala.core.control.RequestControls;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.Request;

/** A search whose terms are known and compiled. Confined to one running operation. */
public interface AskedSearch {
  /** Returns the directory that is searched. */
  Directory directory();

  /** Returns the request as received. */
  Request.Search request();

  /** Returns the name at which it begins, before aliases are followed. */
  Dn base();

  /** Returns the controls that searches honour. */
  RequestControls honoured();

  /** Returns whether pages, an order or a part of a list are wanted. */
  boolean isListed();
}
